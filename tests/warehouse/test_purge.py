"""A purged document is gone from every byte on disk, and known again by its tombstone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import jinja2
import pytest

from schemas.errors import UsageError, WarehouseError, WarehouseLocked
from schemas.records import Blob, Document, Extraction
from tests.warehouse.holding import held
from tests.warehouse.samples import MOMENT, RECIPE, document, extraction
from warehouse.erase import reports
from warehouse.evaluations import LabelRow
from warehouse.reviews import Review
from warehouse.rows import Sighting, now
from warehouse.store import Warehouse
from warehouse.tables import TABLES

MARKER = "Anna-Svensson-19121212-1212"


def known(warehouse: Warehouse, data: bytes, name: str, parent: str | None = None) -> Document:
    """A document of these bytes, archived."""
    sha = warehouse.archive.put(data)
    return replace(document(name, parent=parent, text=data.decode()), document_id=sha, size=len(data))


def outcome(one: Document, run_id: str) -> Extraction:
    value = json.dumps({"reasoning": one.text, "total": "62.00"})
    base = extraction("x", run_id, value=value)
    attempts = tuple(replace(a, document_id=one.document_id, text=value) for a in base.attempts)
    fields = (replace(base.fields[0], value=json.dumps(one.text)), *base.fields[1:])
    findings = tuple(replace(finding, message=one.text) for finding in base.findings)
    return replace(base, document_id=one.document_id, attempts=attempts, fields=fields, findings=findings)


def land(warehouse: Warehouse, shard: str, *documents: Document, blobs: Sequence[Blob] = ()) -> str:
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, documents[0].uri)
    ids = tuple(one.document_id for one in documents)
    rows = [outcome(one, run_id) for one in documents]
    warehouse.stage(shard, run_id, documents, rows, [Sighting(blob, ids) for blob in blobs])
    warehouse.land()
    warehouse.finish_run(run_id, "finished", {})
    return run_id


@pytest.fixture
def anna(warehouse: Warehouse) -> Document:
    """A document with the marker everywhere, among others; labelled, rewritten and deleted before."""
    anna = known(warehouse, f"{MARKER} owes 62.00".encode(), f"{MARKER}.txt")
    other = known(warehouse, b"nobody owes 1.00", "other.txt")
    blob = Blob(anna.uri, anna.size, MOMENT)
    land(warehouse, "s1", anna, blobs=[blob])
    land(warehouse, "s2", other, blobs=[Blob(other.uri, other.size, MOMENT)])
    label = LabelRow("1", anna.document_id, "receipt@1", "/total", f'"{MARKER}"', "me", MARKER, now())
    warehouse.add_labels([label])
    warehouse.query("UPDATE documents SET text = text || ' again'", read_only=False)
    return anna


def purge(warehouse: Warehouse, *documents: Document) -> None:
    warehouse.purge(warehouse.doomed([one.document_id for one in documents]), "asked to", "tester")


def holding(folder: Path, marker: str = MARKER) -> list[str]:
    """The files whose bytes or names hold the marker, in any of the ways that text is written."""
    codes = [marker.encode(), marker.encode("utf-16-le")]
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [one.name for one in files if marker in one.name or any(c in one.read_bytes() for c in codes)]


def test_nothing_of_it_stays_in_any_byte(warehouse: Warehouse, anna: Document) -> None:
    assert "warehouse.duckdb" in holding(warehouse.home)  # else this test could not fail
    assert anna.document_id in holding(warehouse.home)
    purge(warehouse, anna)
    assert holding(warehouse.home) == []
    assert not warehouse.archive.path(anna.document_id).exists()


def test_nothing_comes_back_that_was_under_way(warehouse: Warehouse, anna: Document) -> None:
    """A person decides on it, and an attempt's probabilities are computed, while it is purged."""
    (one,) = warehouse.query(
        "SELECT run_id, attempt_id FROM attempts WHERE document_id = $id", {"id": anna.document_id}
    ).to_pylist()
    purge(warehouse, anna)
    value, about = json.dumps({"total": MARKER}), ("accepted", None, None)
    review = Review(
        "r", one["run_id"], anna.document_id, "receipt@1", "corrected", "/total", *about, value, "me", now()
    )
    label = LabelRow("2", anna.document_id, "receipt@1", "/total", f'"{MARKER}"', "me", "review", now())
    with pytest.raises(UsageError, match="no such extraction any more"):
        warehouse.decide(review, [label], "")
    drawn = {"number": 1, "before": [{"id": 1, "text": MARKER, "probability": 1.0}]}
    warehouse.keep_likelihoods(one["attempt_id"], anna.document_id, [drawn])
    assert holding(warehouse.home) == []


def test_deleting_alone_would_leave_it_on_disk(warehouse: Warehouse, anna: Document) -> None:
    """Why the database is written anew: what is deleted stays in free blocks."""
    for table in (
        "documents",
        "sightings",
        "extractions",
        "attempts",
        "fields",
        "findings",
        "labels",
        "runs",
    ):
        warehouse.query(f"DELETE FROM {table}", read_only=False)
    warehouse.query("CHECKPOINT", read_only=True)
    assert "warehouse.duckdb" in holding(warehouse.home)


def test_all_else_stays(warehouse: Warehouse, anna: Document) -> None:
    of_others = {
        table: warehouse.query(f"SELECT * FROM {table}").to_pylist() for table in (*TABLES, "landings")
    }
    purge(warehouse, anna)
    for table, rows in of_others.items():
        kept = [row for row in rows if row.get("document_id") != anna.document_id]
        assert warehouse.query(f"FROM {table}").to_pylist() == kept, table
    assert warehouse.query("FROM current").num_rows == 1
    sources = warehouse.query("SELECT source FROM runs ORDER BY run_id").to_pylist()
    assert [row["source"] for row in sources] == ["(purged)", "file:///in/other.txt"]
    run_id = land(warehouse, "s3", known(warehouse, b"new", "new.txt"))
    assert (
        warehouse.query("SELECT documents FROM runs WHERE run_id = $r", {"r": run_id})["documents"][0].as_py()
        == 1
    )


def test_a_run_whose_documents_were_purged_still_accounts_for_all(warehouse: Warehouse) -> None:
    first, second, third = (known(warehouse, name.encode(), f"{name}.txt") for name in ("a", "b", "c"))
    run_id = land(warehouse, "s", first, second, third)
    for one in (first, second):
        purge(warehouse, one)
        values = warehouse.measure(run_id).values
        assert (values["documents_in"], values["documents_out"]) == (3, 3)


def test_the_tombstone_says_who_when_why_and_nothing_else(warehouse: Warehouse, anna: Document) -> None:
    purge(warehouse, anna)
    (row,) = warehouse.query("FROM tombstones").to_pylist()
    assert (row["document_id"], row["reason"], row["who"]) == (anna.document_id, "asked to", "tester")
    assert abs(row["purged_at"] - now()) < timedelta(minutes=1)
    stones = warehouse.tombstones()
    assert stones.documents == {anna.document_id}
    assert stones.cover(Blob(anna.uri, anna.size, MOMENT))
    assert not stones.cover(Blob(anna.uri, anna.size + 1, MOMENT))
    assert not stones.cover(Blob(anna.uri, anna.size))


def test_attachments_go_with_their_mail(warehouse: Warehouse, anna: Document) -> None:
    mail = known(warehouse, b"mail", "mail.eml")
    inner = known(warehouse, b"inner", "mail.eml#1/inner.eml", mail.document_id)
    deep = known(warehouse, b"deep", "mail.eml#1/inner.eml#1/a.txt", inner.document_id)
    land(warehouse, "s3", mail, inner, deep, blobs=[Blob(mail.uri, 4, MOMENT)])
    doom = warehouse.doomed([mail.document_id])
    assert set(doom.ids) == {mail.document_id, inner.document_id, deep.document_id}
    assert (doom.orphans, doom.keepers, doom.shared) == ([], (), ())
    assert [one.document_id for one in warehouse.doomed([deep.document_id]).orphans] == [deep.document_id]
    assert warehouse.doomed([inner.document_id]).keepers == (mail.uri,)
    warehouse.purge(doom, "", "tester")
    assert warehouse.query("FROM documents").num_rows == 2


def test_an_attachment_that_another_mail_has_too_is_told(warehouse: Warehouse) -> None:
    a, b = known(warehouse, b"mail a", "a.eml"), known(warehouse, b"mail b", "b.eml")
    both = known(warehouse, b"attached", "a.eml#1/x.txt", a.document_id)
    land(warehouse, "s1", a, both, blobs=[Blob(a.uri, 6, MOMENT)])
    land(warehouse, "s2", b, both, blobs=[Blob(b.uri, 6, MOMENT)])
    assert warehouse.doomed([a.document_id]).keepers == (b.uri,)
    assert warehouse.doomed([b.document_id]).shared == (both.uri,)
    warehouse.purge(warehouse.doomed([a.document_id]), "", "tester")
    assert not warehouse.tombstones().cover(Blob(b.uri, 6, MOMENT))


def test_before_takes_what_was_seen_first_before(warehouse: Warehouse, anna: Document) -> None:
    assert warehouse.older(MOMENT) == []
    assert len(warehouse.older(MOMENT + timedelta(seconds=1))) == 2


def test_a_reader_is_waited_for_and_nothing_is_half_purged(warehouse: Warehouse, anna: Document) -> None:
    hurried = Warehouse(warehouse.home, wait_s=0.2)
    with held(warehouse.database), pytest.raises(WarehouseLocked):
        purge(hurried, anna)
    assert warehouse.archive.get(anna.document_id)
    assert warehouse.query("FROM documents").num_rows == 2
    assert [path.name for path in warehouse.home.iterdir() if path.name.startswith(".")] == []


def test_where_the_bytes_cannot_be_removed_the_database_stays(warehouse: Warehouse, anna: Document) -> None:
    path = warehouse.archive.path(anna.document_id)
    path.unlink()
    path.mkdir()  # no unlink removes a folder
    with pytest.raises(WarehouseError):
        purge(warehouse, anna)
    assert warehouse.query("FROM documents").num_rows == 2
    assert warehouse.query("FROM tombstones").num_rows == 0


def test_texts_and_shards_that_were_put_aside_go_too(warehouse: Warehouse, anna: Document) -> None:
    texts = warehouse.home / "texts"
    texts.mkdir()
    (texts / "1.txt").write_bytes(f"{MARKER} owes 62.00".encode())
    (texts / "2.txt").write_text("another")
    for name, one in (("bad", anna), ("good", known(warehouse, b"x", "x"))):
        run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
        place = warehouse.stage(name, run_id, [one], [outcome(one, run_id)])
        (place / "fields.parquet").write_text("damaged")
    assert len(warehouse.land().damaged) == 2
    purge(warehouse, anna)
    assert holding(warehouse.home) == []
    assert sorted(path.name for path in texts.iterdir()) == ["2.txt"]
    assert [path.name for path in warehouse.staging.iterdir()] == [".damaged-good"]


def test_what_evaluations_say_of_it_goes_and_what_they_say_of_others_stays(warehouse: Warehouse) -> None:
    """Labels name a document by its path, its name without suffix, or its id; reasons quote their values."""
    gone, kept = known(warehouse, b"1", "o'brien.txt"), known(warehouse, b"2", "7.txt")
    land(warehouse, "s1", gone, kept)
    told = [f"line 1 (in/o'brien.txt): /total: {MARKER}", "line 2 (o'brien): /total: x", "line 3 (17): y"]
    names = ["in/o'brien.txt", "o'brien", gone.document_id, "17", "7"]
    warehouse.query(
        """INSERT INTO evaluation_orders BY NAME SELECT 'e' AS evaluation_id, 'receipt@1' AS schema,
        'labels' AS labels, '' AS labels_sha256, 'a' AS baseline, 1 AS samples, 1 AS repeats, 0 AS seed,
        1 AS resamples, 1 AS inputs, $names AS unlabelled, $names AS undocumented, $told AS unusable,
        now()::TIMESTAMP AS created_at""",
        {"names": names, "told": told},
        read_only=False,
    )
    purge(warehouse, gone)
    (order,) = warehouse.query("FROM evaluation_orders").to_pylist()
    assert order["unusable"] == ["line 3 (17): y"]
    assert order["unlabelled"] == order["undocumented"] == ["17", "7"]
    assert holding(warehouse.home) == []
    purge(warehouse, kept)
    (order,) = warehouse.query("FROM evaluation_orders").to_pylist()
    assert (order["unusable"], order["unlabelled"]) == (["line 3 (17): y"], ["17"])


def test_pages_name_it_as_their_templates_write_it(warehouse: Warehouse) -> None:
    doomed = known(warehouse, b"1", 'o\'brien & "sons".txt')
    land(warehouse, "s1", doomed)
    folder = warehouse.home / "reports"
    folder.mkdir()
    page = jinja2.Template("<td>{{ name }}", autoescape=True)
    (folder / "by-name.html").write_text(page.render(name='o\'brien & "sons".txt'))
    (folder / "by-stem.html").write_text(page.render(name='o\'brien & "sons"'))
    (folder / "another.html").write_text(page.render(name="o'brien.txt"))
    found = reports(warehouse.home, warehouse.doomed([doomed.document_id]))
    assert [path.name for path in found] == ["by-name.html", "by-stem.html"]

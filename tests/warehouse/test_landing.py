"""Staged shards become rows once, whatever happens between."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from schemas.errors import WarehouseError
from schemas.records import Blob, Category, Status
from tests.warehouse.samples import MOMENT, RECIPE, document, extraction, ok, sha
from warehouse.rows import Sighting
from warehouse.shown import called
from warehouse.store import Warehouse


def run(warehouse: Warehouse, retry: set[Status] | None = None) -> str:
    return warehouse.start_run("extract", "receipt@1", RECIPE, "in/", retry=retry or set())


def count(warehouse: Warehouse, table: str) -> int:
    return int(warehouse.query(f"SELECT count(*) AS n FROM {table}")["n"][0].as_py())


def stage(warehouse: Warehouse, shard: str, run_id: str, names: list[str]) -> None:
    warehouse.stage(shard, run_id, [document(name) for name in names], ok(names, run_id))


def test_every_column_comes_back(warehouse: Warehouse) -> None:
    run_id = run(warehouse)
    stage(warehouse, "s1", run_id, ["a"])
    assert warehouse.land().extractions == 1
    assert warehouse.documents([sha("a")]) == [document("a")]
    row = warehouse.query("FROM attempts").to_pylist()[0]
    assert (row["mean_logprob"], row["first_token_s"], row["cached_tokens"]) == (-0.5, 0.75, 80)
    assert row["tokens"][1] == {"id": 6, "text": "total", "logprob": -0.75, "raw_logprob": -1.5}
    assert row["started_at"] == MOMENT.replace(tzinfo=None)
    field = warehouse.query("FROM fields WHERE is_null").to_pylist()[0]
    assert (field["pointer"], field["field"], field["value"]) == ("/lines/0/amount", "/lines/*/amount", None)


def test_landing_twice_changes_nothing(warehouse: Warehouse) -> None:
    run_id = run(warehouse)
    for _ in range(2):
        stage(warehouse, "s1", run_id, ["a", "b"])
        warehouse.land()
    tables = ("documents", "extractions", "attempts", "fields", "findings", "landings")
    assert [count(warehouse, table) for table in tables] == [2, 2, 2, 4, 2, 1]
    assert list(warehouse.staging.iterdir()) == []


def test_a_document_in_two_shards_has_one_extraction(warehouse: Warehouse) -> None:
    run_id = run(warehouse)
    stage(warehouse, "s1", run_id, ["a", "b", "b"])
    stage(warehouse, "s2", run_id, ["b", "c"])
    landed = warehouse.land()
    assert (landed.shards, landed.extractions, landed.skipped) == (2, 3, 1)
    assert [count(warehouse, table) for table in ("documents", "extractions", "attempts")] == [3, 3, 3]


def test_another_run_of_the_recipe_does_not_double_what_is_finished(warehouse: Warehouse) -> None:
    first, second = run(warehouse), run(warehouse)
    stage(warehouse, "s1", first, ["a"])
    stage(warehouse, "s2", second, ["a", "b"])
    warehouse.land()
    rows = warehouse.query("SELECT run_id, count(*) AS n FROM extractions GROUP BY run_id ORDER BY run_id")
    assert rows.to_pylist() == [{"run_id": first, "n": 1}, {"run_id": second, "n": 1}]


def test_retry_stands_beside_the_old_one(warehouse: Warehouse) -> None:
    first = run(warehouse)
    rejected = extraction("a", first, status=Status.REJECTED, category=Category.SYNTAX_ERROR, value=None)
    warehouse.stage("s1", first, [document("a")], [rejected])
    warehouse.land()
    assert warehouse.done(RECIPE) == {sha("a")}
    assert warehouse.done(RECIPE, {Status.REJECTED}) == set()
    second = run(warehouse, {Status.REJECTED})
    later = extraction("a", second, finished_at=MOMENT + timedelta(hours=1))
    warehouse.stage("s2", second, [document("a")], [later])
    assert warehouse.land().extractions == 1
    assert count(warehouse, "extractions") == 2
    assert warehouse.done(RECIPE, {Status.REJECTED}) == {sha("a")}
    assert warehouse.query("SELECT status FROM current").to_pylist() == [{"status": "accepted"}]


@pytest.mark.parametrize(
    ("category", "done"), [(Category.TIMEOUT, False), (Category.UNREADABLE, True), (Category.TOO_LONG, True)]
)
def test_only_the_engines_failures_are_done_again(
    warehouse: Warehouse, category: Category, done: bool
) -> None:
    run_id = run(warehouse)
    failed = extraction("a", run_id, status=Status.FAILED, category=category, value=None)
    warehouse.stage("s1", run_id, [document("a")], [failed])
    warehouse.land()
    assert (warehouse.done(RECIPE) == {sha("a")}) is done
    assert warehouse.done(RECIPE, {Status.FAILED}) == set()


def test_a_damaged_shard_is_put_aside_and_named(warehouse: Warehouse) -> None:
    run_id = run(warehouse)
    stage(warehouse, "s1", run_id, ["a"])
    stage(warehouse, "s2", run_id, ["b"])
    (warehouse.staging / "s1" / "fields.parquet").write_bytes(b"PAR1 not at all")
    landed = warehouse.land()
    assert landed.damaged == ("s1",)
    assert warehouse.done(RECIPE) == {sha("b")}
    assert (warehouse.staging / ".damaged-s1" / "extractions.parquet").exists()


def test_what_a_kill_left_of_a_landed_shard_is_removed(warehouse: Warehouse) -> None:
    run_id = run(warehouse)
    stage(warehouse, "s1", run_id, ["a"])
    warehouse.land()
    stage(warehouse, "s1", run_id, ["a"])
    (warehouse.staging / "s1" / "attempts.parquet").unlink()
    assert warehouse.land().damaged == ()
    assert list(warehouse.staging.iterdir()) == []


def test_what_a_dead_process_left_half_written_is_removed(warehouse: Warehouse) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    ours, theirs = f".s1.{os.getpid()}.0123abcd", f".s1.{gone.pid}.0123abcd"
    for name in (ours, theirs):
        (warehouse.staging / name).mkdir(parents=True)
    warehouse.land()
    assert [path.name for path in warehouse.staging.iterdir()] == [ours]


def test_a_newer_reader_renews_the_text(warehouse: Warehouse) -> None:
    run_id = run(warehouse)
    stage(warehouse, "s1", run_id, ["a"])
    newer = dataclasses.replace(document("a", reader="text@2", text="better"), uri="file:///elsewhere")
    warehouse.stage("s2", run_id, [newer], [])
    warehouse.land()
    (found,) = warehouse.documents([sha("a")])
    assert (found.text, found.reader, found.uri) == ("better", "text@2", "file:///in/a")


def test_unchanged_blobs_are_known_with_their_attachments(warehouse: Warehouse) -> None:
    run_id = run(warehouse)
    blob = Blob("file:///in/mail.eml", 10, MOMENT)
    both = [document("mail"), document("pdf", parent=sha("mail"))]
    seen = [Sighting(blob, tuple(one.document_id for one in both))]
    warehouse.stage("s1", run_id, both, ok(["mail", "pdf"], run_id), seen)
    warehouse.land()
    assert warehouse.known([blob]) == {blob.uri: frozenset({sha("mail"), sha("pdf")})}
    with warehouse.asking() as ask:
        assert [one["document_id"] for one in called(ask, "mail.eml")] == [sha("mail")]
        assert [one["document_id"] for one in called(ask, "pdf")] == [sha("pdf")]
    changed = [
        Blob(blob.uri, 11, MOMENT),
        Blob(blob.uri, 10, MOMENT + timedelta(seconds=1)),
        Blob(blob.uri, 10),
    ]
    assert warehouse.known(changed) == {}
    again = Blob(blob.uri, 11, MOMENT)
    warehouse.stage("s2", run_id, [document("new")], ok(["new"], run_id), [Sighting(again, (sha("new"),))])
    warehouse.land()
    assert warehouse.known([blob, again]) == {blob.uri: frozenset({sha("new")})}


@pytest.mark.parametrize("name", ["../out", "a/b", "", ".hidden", "x" * 200, "a\0b"])
def test_a_shard_name_cannot_leave_its_folder(warehouse: Warehouse, name: str) -> None:
    with pytest.raises(WarehouseError, match="no name for a shard"):
        warehouse.stage(name, "r", [], [])


def test_hostile_text_is_only_text(warehouse: Warehouse) -> None:
    run_id = run(warehouse)
    name = "'); DROP TABLE extractions; --\"%s\ud800[*].eml"
    warehouse.stage(
        "s1", run_id, [dataclasses.replace(document("a"), uri=name, text="\ud83d x\0y")], ok(["a"], run_id)
    )
    warehouse.land()
    (found,) = warehouse.documents([sha("a")])
    assert found.uri == name.replace("\ud800", "\ufffd")
    assert found.text == "\ufffd x\0y"
    assert count(warehouse, "extractions") == 1


def test_a_home_with_a_hostile_name(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "a'b \"[c]*%20=d;#")
    run_id = run(warehouse)
    stage(warehouse, "s1", run_id, ["a"])
    assert warehouse.land().extractions == 1


def test_a_home_that_the_database_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match="question mark"):
        Warehouse(tmp_path / "why?").query("SELECT 1")


_ENDLESS = """
import sys
from pathlib import Path
from tests.warehouse.samples import document, ok, sha
from warehouse.store import Warehouse

warehouse, run_id, known = Warehouse(Path(sys.argv[1]), wait_s=20), sys.argv[2], int(sys.argv[3])
for number in range(known, 1_000_000):
    names = [f"{number}-{index}" for index in range(20)]
    warehouse.stage(f"s{number:06}", run_id, [document(name) for name in names], ok(names, run_id))
    print("staged", flush=True)
    warehouse.land()
"""


@pytest.mark.slow
def test_kill_at_any_moment_loses_nothing_and_doubles_nothing(warehouse: Warehouse) -> None:
    run_id = run(warehouse)
    start = 0
    for kill in range(4):
        command = [sys.executable, "-c", _ENDLESS, str(warehouse.home), run_id, str(start)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        for _ in range(1 + kill % 3):  # the last of these shards is about to land
            process.stdout.readline()
        time.sleep(0.02 * kill)
        process.kill()
        process.communicate()
        waiting = [path.name for path in warehouse.staging.glob("s*")]
        landed = warehouse.query("SELECT shard_id FROM landings")["shard_id"].to_pylist()
        warehouse.land()
        shards = sorted({*waiting, *landed})
        assert count(warehouse, "extractions") == 20 * len(shards) == count(warehouse, "documents")
        start = len(shards)
    assert start > 0
    assert count(warehouse, "attempts") == count(warehouse, "(SELECT DISTINCT document_id FROM extractions)")
    assert list(warehouse.staging.iterdir()) == []

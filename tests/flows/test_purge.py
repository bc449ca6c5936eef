"""`assay purge`, and what later runs make of its tombstones."""

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from flows.cli import app
from flows.order import Order, Summary
from flows.settings import Settings
from schemas.errors import UsageError
from tests.flows.fake_engine import receipt
from tests.flows.nights import carried
from warehouse.evaluations import LabelRow
from warehouse.rows import now
from warehouse.store import Warehouse

Run = Callable[..., Summary]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    for number in (1, 2):
        (folder / f"{number}.txt").write_text(receipt(number))
    return folder


@pytest.fixture
def settings(tmp_path: Path, model_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    return Settings(home=tmp_path / "home", model=model_dir, gate="off", max_num_seqs=4)


@pytest.fixture
def run(settings: Settings, source: Path) -> Run:
    def carry(**given: object) -> Summary:
        return carried(replace(Order(str(source), "receipt@1"), **given), settings)  # type: ignore[arg-type]

    return carry


def purge(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["purge", *arguments])


def ids(settings: Settings) -> set[str]:
    return set(Warehouse(settings.home).query("SELECT document_id FROM documents")["document_id"].to_pylist())


def test_a_purged_document_is_left_alone_unless_asked(run: Run, settings: Settings, source: Path) -> None:
    run()
    before = ids(settings)
    assert purge("1.txt", "--yes", "--reason", "request 7").exit_code == 0
    (gone,) = before - ids(settings)
    nightly = run()
    assert (nightly.run_id, nightly.skipped) == (None, 2)  # not even read
    os.utime(source / "1.txt", (0, 0))
    touched = run()
    assert (touched.documents, touched.status) == (0, "finished")  # read, and known by its bytes
    assert gone not in ids(settings)
    assert not Warehouse(settings.home).archive.path(gone).exists()
    assert run(purged=True).documents == 1
    assert ids(settings) == before


def test_what_was_purged_is_told_with_its_tombstone(run: Run, settings: Settings, source: Path) -> None:
    run()
    before = ids(settings)
    assert purge("1.txt", "--yes", "--reason", "request \x1b7").exit_code == 0
    (gone,) = before - ids(settings)
    told = f"document {gone[:12]} was purged on .* UTC by .*: request ␛7; nothing of it is kept"
    for given in (gone, gone[:9].upper(), str(source / "1.txt")):
        for command in (["show", given], ["purge", given, "--yes"], ["trace", given]):
            assert re.search(told, str(CliRunner().invoke(app, command).exception)), command
    for command in (["show", "1.txt"], ["trace", "0000"]):
        failed = CliRunner().invoke(app, command).exception
        assert isinstance(failed, UsageError)
        assert "; of 1 purged only the ids are known" in str(failed)
    (left,) = ids(settings)
    assert "is a document" in str(CliRunner().invoke(app, ["trace", left]).exception)


def test_what_is_attached_to_a_later_mail_stays_purged(run: Run, settings: Settings, source: Path) -> None:
    run()
    assert purge("1.txt", "--yes").exit_code == 0
    mail = EmailMessage()
    mail.set_content("Here it is again.")
    mail.add_attachment(receipt(1).encode(), "text", "plain", filename="r.txt")
    mail.add_attachment(receipt(5).encode(), "text", "plain", filename="new.txt")
    (source / "mail.eml").write_bytes(mail.as_bytes())
    assert run().documents == 2
    uris = Warehouse(settings.home).query("SELECT uri FROM documents")["uri"].to_pylist()
    assert sorted(uri.rpartition("/")[2] for uri in uris) == ["2.txt", "mail.eml", "new.txt"]


def _label_each(settings: Settings, folder: Path) -> None:
    """Labels of each document from a file of its own, and from one that is gone; and one of the desk."""
    warehouse = Warehouse(settings.home)
    rows = warehouse.query("SELECT document_id, parse_filename(uri, true) AS name FROM documents").to_pylist()
    for row in rows:
        (folder / f"{row['name']}.csv").write_text("document,total")
        for source in (str(folder / f"{row['name']}.csv"), str(folder / "gone.csv"), "review"):
            attempt = "a" if source == "review" else None
            about = (row["document_id"], "receipt@1", "/total", '"1"', "me", source, now())
            warehouse.add_labels([LabelRow(f"{row['name']}{source}", *about, attempt_id=attempt)])


def test_it_asks_lists_and_names_what_stays(run: Run, settings: Settings, tmp_path: Path) -> None:
    run()
    assert "1.txt" in purge("1.txt", "--dry-run").stdout
    assert len(ids(settings)) == 2
    assert "--yes" in str(purge("1.txt").exception)
    assert len(ids(settings)) == 2
    Warehouse(settings.home).snapshot(tmp_path / "copy.duckdb")
    backup = settings.home / "warehouse.duckdb.before-0002_x"
    backup.write_text("old")
    pages = settings.home / "reports"
    pages.mkdir(exist_ok=True)
    (pages / "mine.html").write_text("<td>1.txt")
    (pages / "another.html").write_text("<td>2.txt")
    _label_each(settings, tmp_path)
    told = json.loads(purge("1.txt", "--yes", "--json").stdout)
    assert len(told["purged"]) == 1
    where = [left["where"] for left in told["left"]]
    assert str(tmp_path / "copy.duckdb") in where
    assert str(backup) in where
    assert str(pages / "mine.html") in where
    assert str(pages / "another.html") not in where
    assert str(tmp_path / "1.csv") in where
    assert not {str(tmp_path / "2.csv"), str(tmp_path / "gone.csv"), "review"} & set(where)
    assert backup.exists()
    assert purge("2.txt", "--yes", "--backups").exit_code == 0
    assert not backup.exists()
    assert ids(settings) == set()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "one of the two"),
        (["1.txt", "--before", "2020-01-01"], "one of the two"),
        (["nothing-here", "--yes"], "no document"),
    ],
)
def test_what_cannot_be_asked(run: Run, settings: Settings, arguments: list[str], told: str) -> None:
    Warehouse(settings.home).query("SELECT 1")
    assert told in str(purge(*arguments).exception)


def test_before_a_day_takes_the_old_and_leaves_the_new(run: Run, settings: Settings) -> None:
    run()
    assert "nothing was removed" in purge("--before", "2020-01-01", "--yes").output
    assert len(ids(settings)) == 2
    assert "purged 2 documents" in purge("--before", "2100-01-01", "--yes").output
    assert ids(settings) == set()

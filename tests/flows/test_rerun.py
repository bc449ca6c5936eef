"""Runs over archived documents: which, from what text, and what becomes of a damaged one."""

import io
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from shutil import copytree, rmtree

import pytest
from rich.console import Console

from flows.archived import asked, plan_rerun, planned_rerun
from flows.order import Order, Summary
from flows.run import carry_out
from flows.settings import Settings
from schemas.records import Status
from tests.flows.fake_engine import Factory, SpellingEngine, receipt
from tests.flows.nights import carried
from warehouse.connection import opened
from warehouse.store import Warehouse

Rerun = Callable[..., Summary]


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory, model_dir: Path) -> tuple[Path, Summary]:
    """A home after a run over three receipts and a mail with one attached; their storage is gone."""
    folder = tmp_path_factory.mktemp("source")
    for number in range(1, 4):
        (folder / f"{number}.txt").write_text(receipt(number))
    mail = EmailMessage()
    mail["Subject"] = "Receipt"
    mail.set_content("See the attachment.")
    mail.add_attachment(receipt(4), filename="r4.txt")
    (folder / "mail.eml").write_bytes(mail.as_bytes())
    home = tmp_path_factory.mktemp("landed") / "home"
    summary = carried(Order(str(folder), "receipt@1"), Settings(home=home, model=model_dir, gate="off"))
    rmtree(folder)
    return home, summary


@pytest.fixture
def first(landed: tuple[Path, Summary]) -> Summary:
    """That run's summary."""
    return landed[1]


@pytest.fixture
def settings(tmp_path: Path, model_dir: Path, landed: tuple[Path, Summary]) -> Settings:
    """A copy of that home for each test."""
    home = copytree(landed[0], tmp_path / "home")
    return Settings(home=home, model=model_dir, gate="off", max_num_seqs=4, shard_size=8)


@pytest.fixture
def rerun(settings: Settings) -> Rerun:
    def carry(schema: str = "receipt@1", decoding: str | None = None, **given: object) -> Summary:
        rerun = asked(schema, decoding, **given)  # type: ignore[arg-type]
        with planned_rerun(rerun, settings) as plan:
            engine = Factory(kind=SpellingEngine)
            return carry_out(plan, start_engine=engine, console=Console(file=io.StringIO()))

    return carry


def rows(settings: Settings, sql: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = Warehouse(settings.home).query(sql).to_pylist()
    return found


def change(settings: Settings, sql: str) -> None:
    with opened(Warehouse(settings.home).database) as connection:
        connection.execute(sql)


def test_the_archive_is_enough_and_old_results_stay(rerun: Rerun, settings: Settings, first: Summary) -> None:
    second = rerun(decoding="guided-vote")
    assert (first.documents, second.documents, second.status) == (5, 5, "finished")
    counted = "SELECT run_id, count(*) AS n, count(*) FILTER (is_current) AS current FROM extractions"
    assert rows(settings, f"{counted} GROUP BY run_id ORDER BY run_id") == [
        {"run_id": first.run_id, "n": 5, "current": 0},
        {"run_id": second.run_id, "n": 5, "current": 5},
    ]
    assert rows(settings, "SELECT count(*) AS n FROM documents") == [{"n": 5}]
    (kind,) = rows(settings, f"SELECT kind, source FROM runs WHERE run_id = '{second.run_id}'")
    assert kind == {"kind": "rerun", "source": "archive"}


def test_what_is_done_is_done_again_only_where_asked(rerun: Rerun) -> None:
    same = rerun()
    assert (same.run_id, same.listed, same.skipped) == (None, 5, 5)
    assert rerun(again=True).documents == 5


@pytest.mark.parametrize(("scoring", "scored"), [("all", 5), ("off", 0)])
def test_it_is_asked_which_answers_are_scored(
    rerun: Rerun, settings: Settings, scoring: str, scored: int
) -> None:
    again = rerun(again=True, scoring=scoring)
    counted = f"SELECT count(log_allowed_mass) AS n FROM attempts WHERE run_id = '{again.run_id}'"
    assert rows(settings, counted) == [{"n": scored}]


def test_another_schema_leaves_the_other_schemas_answers_current(rerun: Rerun, settings: Settings) -> None:
    rerun("invoice@2")
    counted = "SELECT schema, count(*) AS n FROM current GROUP BY schema ORDER BY schema"
    assert rows(settings, counted) == [{"schema": "invoice@2", "n": 5}, {"schema": "receipt@1", "n": 5}]


def test_attachments_keep_their_parents_also_where_read_again(rerun: Rerun, settings: Settings) -> None:
    family = "SELECT child.uri, child.parent_id = mail.document_id AS is_child FROM documents AS child "
    family += "JOIN documents AS mail ON mail.media_type = 'message/rfc822' WHERE child.uri LIKE '%#1/%'"
    before = rows(settings, family)
    assert [row["is_child"] for row in before] == [True]
    assert rerun(again=True, reread=True).documents == 5
    assert rows(settings, family) == before
    assert rows(settings, "SELECT count(*) AS n FROM sightings") == [{"n": 5}]


def test_text_as_landed_is_used_unless_it_is_to_be_read_again(rerun: Rerun, settings: Settings) -> None:
    change(settings, "UPDATE documents SET text = replace(text, 'TOTAL 1.50', 'TOTAL 7.77')")
    totals = "SELECT value->>'total' AS total FROM current WHERE value->>'company' LIKE '%0001%'"
    rerun(again=True)
    assert rows(settings, totals) == [{"total": "7.77"}]
    rerun(again=True, reread=True)
    assert rows(settings, totals) == [{"total": "1.50"}]


def test_another_reader_version_reads_the_bytes_again(rerun: Rerun, settings: Settings) -> None:
    change(settings, "UPDATE documents SET reader = 'text@0', text = 'old' WHERE text LIKE '%TOTAL 1.50%'")
    rerun(again=True)
    (found,) = rows(settings, "SELECT reader FROM documents WHERE text LIKE '%TOTAL 1.50%'")
    assert str(found["reader"]).startswith("text@1")
    assert rows(settings, "SELECT count(*) AS n FROM current WHERE value->>'total' = '1.50'") == [{"n": 1}]


@pytest.mark.parametrize("damage", ["changed", "missing"])
def test_a_damaged_document_says_so_and_replaces_nothing(
    rerun: Rerun, settings: Settings, damage: str
) -> None:
    (one,) = rows(settings, "SELECT document_id, text FROM documents WHERE text LIKE '%TOTAL 2.50%'")
    path = Warehouse(settings.home).archive.path(str(one["document_id"]))
    path.unlink() if damage == "missing" else path.write_text(receipt(9))
    summary = rerun(again=True)
    assert summary.statuses == {Status.ACCEPTED: 4, Status.REJECTED: 1}
    told = "SELECT status, level, category, message, is_current FROM extractions"
    key = f"document_id = '{path.name}' AND run_id = '{summary.run_id}'"
    (new,) = rows(settings, f"{told} WHERE {key}")
    assert (new["status"], new["level"], new["category"]) == ("rejected", "read", "unreadable")
    assert "archive" in str(new["message"])
    assert new["is_current"] is False
    assert rows(settings, f"SELECT text FROM documents WHERE document_id = '{path.name}'") == [
        {"text": one["text"]}
    ]


def test_a_plan_names_what_it_would_do_and_no_more_than_asked(settings: Settings, first: Summary) -> None:
    plan = plan_rerun(asked("invoice@2", from_run=first.run_id, limit=2), settings)
    assert (len(plan.todo), plan.skipped) == (2, 0)
    assert plan_rerun(asked("receipt@1", limit=2), settings).skipped == 5


def test_a_blob_that_was_never_read_is_not_in_the_archive(rerun: Rerun, settings: Settings) -> None:
    change(settings, "UPDATE documents SET reader = 'none' WHERE text LIKE '%TOTAL 3.50%'")
    assert rerun(again=True).documents == 4

"""Whole runs on a real warehouse, real readers and a fake engine behind the engine's own seam."""

import asyncio
import io
import os
import signal
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest
from rich.console import Console

from flows.order import Order, Summary
from flows.plan import planned
from flows.run import carry_out
from flows.settings import Settings
from schemas.errors import EngineRefusedSchema, EngineUnavailable, UsageError
from schemas.records import Status
from tests.flows.fake_engine import DownEngine, Factory, FakeEngine, RefusingEngine, receipt
from warehouse.store import Warehouse

Run = Callable[..., Summary]


@pytest.fixture
def settings(tmp_path: Path, model_dir: Path) -> Settings:
    return Settings(home=tmp_path / "home", model=model_dir, max_num_seqs=4, shard_size=8, heartbeat=0.2)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    for number in range(1, 13):
        (folder / f"{number:02}.txt").write_text(receipt(number))
    return folder


@pytest.fixture
def run(settings: Settings, source: Path) -> Run:
    def carry(factory: Factory, *, retry: tuple[Status, ...] = (), limit: int | None = None) -> Summary:
        order = Order(str(source), "receipt@1", limit=limit, retry=frozenset(retry))
        with planned(order, settings) as plan:
            return carry_out(plan, start_engine=factory, console=Console(file=io.StringIO()))

    return carry


def rows(settings: Settings, sql: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = Warehouse(settings.home).query(sql).to_pylist()
    return found


def test_each_document_ends_as_one_row_and_is_archived(run: Run, settings: Settings, source: Path) -> None:
    summary = run(Factory())
    assert (summary.status, summary.documents, summary.exit_code) == ("finished", 12, 0)
    found = rows(settings, "SELECT document_id, status, value->>'total' AS total FROM extractions")
    assert {row["status"] for row in found} == {"accepted"}
    assert sorted(str(row["total"]) for row in found) == sorted(f"{number}.50" for number in range(1, 13))
    archive = Warehouse(settings.home).archive
    assert {archive.get(str(row["document_id"])) for row in found} == {
        path.read_bytes() for path in source.iterdir()
    }


def test_the_schema_is_compiled_before_any_document_and_the_time_is_recorded(
    run: Run, settings: Settings
) -> None:
    factory = Factory()
    run(factory)
    assert len(factory.started[0].compiled) == 1
    assert rows(settings, "SELECT (counts->>'compile_s')::DOUBLE AS s FROM runs") == [{"s": 0.25}]


def test_a_refused_schema_ends_the_run_with_its_reason_and_no_document_is_sent(
    run: Run, settings: Settings
) -> None:
    factory = Factory(kind=RefusingEngine)
    with pytest.raises(EngineRefusedSchema, match="`not`"):
        run(factory)
    assert (factory.started[0].requests, factory.started[0].closed) == (0, True)
    assert rows(settings, "SELECT count(*) AS n FROM extractions") == [{"n": 0}]
    (ended,) = rows(settings, "SELECT status, message FROM runs")
    assert ended["status"] == "failed"
    assert "`not`" in str(ended["message"])


def test_second_call_starts_no_engine_and_no_run(run: Run, settings: Settings) -> None:
    run(Factory())
    again = Factory()
    summary = run(again)
    assert (summary.run_id, summary.skipped, summary.exit_code) == (None, 12, 0)
    assert again.started == []
    assert len(rows(settings, "SELECT run_id FROM runs")) == 1


def test_only_what_is_new_is_done(run: Run, source: Path) -> None:
    run(Factory(), limit=5)
    assert run(Factory(), limit=5).documents == 0
    (source / "01.txt").write_text(receipt(99))
    assert run(Factory()).documents == 8


def test_engine_has_more_in_flight_than_it_works_on(run: Run) -> None:
    factory = Factory(delay_s=0.3)
    run(factory)
    assert factory.started[0].most_in_flight >= 4
    assert factory.started[0].closed


def test_same_bytes_under_two_names_are_one_extraction(run: Run, settings: Settings, source: Path) -> None:
    for name in ("copy.txt", "zz.txt"):
        (source / name).write_text(receipt(1))
    factory = Factory(delay_s=0.05)
    assert run(factory).documents == 12
    assert factory.started[0].requests == 12
    assert rows(settings, "SELECT counts->>'seen' AS seen FROM runs") == [{"seen": "12"}]
    assert len(rows(settings, "SELECT DISTINCT uri FROM sightings")) == 14
    again = Factory()
    assert run(again).run_id is None


def test_attachment_is_its_own_document_with_its_parent(run: Run, settings: Settings, source: Path) -> None:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "receipt", "a@example.org", "b@example.org"
    message.set_content(receipt(50))
    message.add_attachment(receipt(51).encode(), maintype="text", subtype="plain", filename="r.txt")
    (source / "mail.eml").write_bytes(bytes(message))
    assert run(Factory()).documents == 14
    children = "(documents JOIN extractions USING (document_id)) AS child"
    sql = f"SELECT p.uri FROM {children} JOIN documents p ON child.parent_id = p.document_id"
    pairs = rows(settings, sql)
    assert [str(pair["uri"]).endswith("mail.eml") for pair in pairs] == [True]
    assert rows(settings, "SELECT counts->>'seen' AS seen FROM runs") == [{"seen": "14"}]
    assert run(Factory()).run_id is None


def test_too_large_and_unreadable_blobs_get_rows(run: Run, settings: Settings, source: Path) -> None:
    object.__setattr__(settings, "max_document_bytes", 1000)
    (source / "large.txt").write_text("x" * 1001)
    (source / "empty.txt").write_text("")
    factory = Factory()
    assert run(factory).exit_code == 0
    found = rows(settings, "SELECT category, status FROM extractions WHERE category IS NOT NULL ORDER BY 1")
    assert [row["category"] for row in found] == ["empty", "too_large"]
    assert run(Factory()).run_id is None


def test_failed_documents_are_taken_up_by_the_next_run(run: Run, settings: Settings) -> None:
    down = run(Factory(kind=DownEngine))
    assert (down.status, down.exit_code, down.statuses) == ("failed", 1, {Status.FAILED: 12})
    assert run(Factory()).statuses == {Status.ACCEPTED: 12}


def test_rejected_documents_are_done_until_asked_for(run: Run) -> None:
    assert run(Factory(answer=lambda prompt: "{")).statuses == {Status.REJECTED: 12}
    assert run(Factory()).run_id is None
    assert run(Factory(), retry=(Status.REJECTED,)).statuses == {Status.ACCEPTED: 12}
    assert run(Factory(), retry=(Status.REJECTED,)).run_id is None


def test_engine_that_does_not_start_fails_the_run(run: Run, settings: Settings) -> None:
    class Broken(FakeEngine):
        def __init__(self, *arguments: object) -> None:
            raise EngineUnavailable("no weights here")

    summary = run(Factory(kind=Broken))
    assert (summary.status, summary.exit_code) == ("failed", 1)
    assert rows(settings, "SELECT status, message FROM runs") == [
        {"status": "failed", "message": "no weights here"}
    ]
    assert run(Factory()).documents == 12


def test_interrupt_lands_what_is_finished(run: Run, settings: Settings, source: Path) -> None:
    class Interrupting(FakeEngine):
        async def generate(self, *arguments: object) -> list[object]:  # type: ignore[override]
            if self.requests == 6:
                os.kill(os.getpid(), signal.SIGINT)
                await asyncio.sleep(30)
            return await super().generate(*arguments)  # type: ignore[arg-type, return-value]

    summary = run(Factory(kind=Interrupting))
    assert (summary.status, summary.exit_code) == ("interrupted", 130)
    assert 0 < summary.documents < 12
    assert len(rows(settings, "SELECT * FROM extractions")) == summary.documents
    assert run(Factory()).documents == 12 - summary.documents
    assert len(rows(settings, "SELECT DISTINCT document_id FROM extractions")) == 12


def test_second_run_in_one_home_is_refused_by_name(run: Run, settings: Settings, source: Path) -> None:
    with (
        planned(Order(str(source), "receipt@1"), settings),
        pytest.raises(UsageError, match=str(os.getpid())),
    ):
        run(Factory())


def test_a_run_that_died_on_another_machine_is_closed_by_the_next_one_at_once(
    run: Run, settings: Settings
) -> None:
    """As in a cluster, where each night has a machine, or a container, of its own."""
    warehouse = Warehouse(settings.home)
    died = warehouse.start_run("extract", "receipt@1", "recipe", "in/")
    warehouse.query("UPDATE runs SET host = 'another'", read_only=False)
    run(Factory())
    found = warehouse.query("SELECT status FROM runs WHERE run_id = ?", [died]).to_pylist()
    assert found == [{"status": "crashed"}]


def test_heart_beats_while_nothing_is_landed(run: Run, settings: Settings) -> None:
    run(Factory(delay_s=0.8))
    (row,) = rows(settings, "SELECT heartbeat_at > started_at AS beat, documents FROM runs")
    assert row == {"beat": True, "documents": 12}

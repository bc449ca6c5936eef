"""Shards on a local Ray cluster of two workers: the same rows as in one process, also where one is killed."""

from __future__ import annotations

import contextvars
import io
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from flows.archived import asked, planned_rerun
from flows.order import Order, Summary
from flows.pipeline import EngineFactory
from flows.plan import Plan, planned
from flows.run import carry_out
from flows.settings import Settings
from schemas.records import Status
from tests.flows import ray_engines
from tests.flows.fake_engine import receipt
from warehouse.store import Warehouse

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="the `ray` extra is not installed"),
]

DOCUMENTS = 10
_ROWS = {
    "extractions": "document_id, recipe_id, schema, status, level, category, value, attempts, is_current",
    "fields": "document_id, pointer, value, is_null, grounding, span_start, span_end",
    "findings": "document_id, pointer, level, rule, severity, message",
    "attempts": "document_id, number, sample, seed, ending, text, prompt_tokens, output_tokens, chosen",
    "documents": "document_id, text, reader",  # the name that is kept of two is the first one landed
    "sightings": "uri, size, document_id",
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Prefect's server and two Ray workers on loopback, for all tests here."""
    from prefect.testing.utilities import prefect_test_harness

    from flows.runner.cluster import cluster

    made = Settings(home=tmp_path_factory.mktemp("cluster"), runner="ray", workers=2)
    with prefect_test_harness(server_startup_timeout=200), cluster(made):
        yield


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Receipts, one of them under two names, in different shards."""
    (tmp_path / "signed").mkdir()
    folder = tmp_path / "source"
    folder.mkdir()
    for number in range(1, DOCUMENTS + 1):
        (folder / f"{number:02}.txt").write_text(receipt(number))
    (folder / "99-again.txt").write_text(receipt(1))
    return folder


def settings(home: Path, model: Path, **given: object) -> Settings:
    usual = {"shard_size": 3, "stage_every": 0.2, "reader_workers": 1, "workers": 2}
    return Settings.model_validate({"home": home, "model": model, **usual, **given})


def run(
    home: Path,
    model: Path,
    source: Path,
    engine: EngineFactory,
    change: Callable[[Plan], Plan] = lambda one: one,
    **given: object,
) -> Summary:
    with planned(Order(str(source), "receipt@1"), settings(home, model, **given)) as plan:
        return carry_out(change(plan), start_engine=engine, console=Console(file=io.StringIO()))


def rows(home: Path) -> dict[str, list[dict[str, object]]]:
    """What two runs over the same documents have in common: all but ids and times."""
    warehouse = Warehouse(home)
    return {
        table: warehouse.query(f"SELECT {columns} FROM {table} ORDER BY ALL").to_pylist()
        for table, columns in _ROWS.items()
    }


def test_two_workers_leave_the_rows_of_one_process(
    cluster: None, tmp_path: Path, model_dir: Path, source: Path
) -> None:
    alone, spread = tmp_path / "alone", tmp_path / "spread"
    run(alone, model_dir, source, ray_engines.signing)
    for path in (tmp_path / "signed").iterdir():
        path.unlink()
    summary = run(spread, model_dir, source, ray_engines.signing, runner="ray")
    assert (summary.status, summary.documents) == ("finished", DOCUMENTS)
    assert rows(spread) == rows(alone)
    workers = {int(path.name) for path in (tmp_path / "signed").iterdir()}
    assert len(workers) == 2
    assert os.getpid() not in workers
    assert list((spread / "staging").iterdir()) == []
    again = run(spread, model_dir, source, ray_engines.signing, runner="ray")
    assert (again.run_id, again.skipped) == (None, DOCUMENTS + 1)


def test_a_worker_killed_in_mid_shard_loses_and_doubles_nothing(
    cluster: None, tmp_path: Path, model_dir: Path, source: Path
) -> None:
    signed, home = tmp_path / "signed", tmp_path / "home"
    hold = signed / "hold"
    hold.touch()
    ended: list[Summary] = []
    context = contextvars.copy_context()
    work = threading.Thread(
        target=lambda: ended.append(context.run(run, home, model_dir, source, ray_engines.slow, runner="ray"))
    )
    work.start()
    victim = _first_at_work(signed)
    os.kill(victim, signal.SIGKILL)
    hold.unlink()
    work.join(120)
    assert not work.is_alive()
    assert (ended[0].status, dict(ended[0].statuses)) == ("finished", {Status.ACCEPTED: DOCUMENTS})
    warehouse = Warehouse(home)
    counted = "SELECT count(*) AS n, count(DISTINCT document_id) AS documents FROM {}"
    for table in ("extractions", "attempts"):
        assert warehouse.query(counted.format(table)).to_pylist() == [
            {"n": DOCUMENTS, "documents": DOCUMENTS}
        ]
    (gate,) = warehouse.query(
        "SELECT sum(documents) AS staged, sum(landed) AS landed FROM landings"
    ).to_pylist()
    assert gate == {"staged": DOCUMENTS, "landed": DOCUMENTS}


def test_of_a_shard_that_kills_its_workers_only_the_document_that_does_is_set_aside(
    cluster: None, tmp_path: Path, model_dir: Path, source: Path
) -> None:
    home = tmp_path / "home"
    poison = sha256((source / "05.txt").read_bytes()).hexdigest()
    (tmp_path / "signed" / "poison").write_text(poison)
    summary = run(home, model_dir, source, ray_engines.mortal, runner="ray", stage_every=60.0)
    assert (summary.status, summary.message) == ("failed", "1 documents got no answer from the engine")
    assert dict(summary.statuses) == {Status.ACCEPTED: DOCUMENTS - 1, Status.FAILED: 1}
    warehouse = Warehouse(home)
    counted = "SELECT count(*) AS n, count(DISTINCT document_id) AS documents FROM {}"
    for table in ("extractions", "attempts"):
        assert warehouse.query(counted.format(table)).to_pylist() == [
            {"n": DOCUMENTS, "documents": DOCUMENTS}
        ]
    failed = "SELECT document_id, category, message FROM extractions WHERE status = 'failed'"
    (aside,) = warehouse.query(failed).to_pylist()
    assert (aside["document_id"], aside["category"]) == (poison, "engine_error")
    assert "its worker was lost over this document alone (2 times, at last by Actor" in aside["message"]
    assert list((home / "staging").iterdir()) == []
    again = run(home, model_dir, source, ray_engines.signing)
    assert (again.documents, dict(again.statuses)) == (1, {Status.ACCEPTED: 1})


def test_shards_are_sent_where_no_home_is_shared_also_those_of_a_rerun(
    cluster: None, tmp_path: Path, model_dir: Path, source: Path
) -> None:
    home, staging = tmp_path / "home", tmp_path / "bucket"
    given: dict[str, Any] = {"runner": "ray", "staging": str(staging), "workers": 1}
    first = run(home, model_dir, source, ray_engines.signing, **given)
    assert (first.status, first.documents) == ("finished", DOCUMENTS)
    original = (source / "02.txt").read_bytes()
    warehouse = Warehouse(home)
    assert warehouse.archive.get(sha256(original).hexdigest()) == original
    again = asked("receipt@1", again=True)
    with planned_rerun(again, settings(home, model_dir, **given)) as plan:
        second = carry_out(plan, start_engine=ray_engines.signing, console=Console(file=io.StringIO()))
    assert (second.status, second.documents) == ("finished", DOCUMENTS)
    assert [path for path in staging.rglob("*") if path.is_file()] == []
    current = "SELECT run_id, count(*) AS n FROM extractions WHERE is_current GROUP BY ALL"
    assert warehouse.query(current).to_pylist() == [{"run_id": second.run_id, "n": DOCUMENTS}]


def test_what_no_worker_can_do_is_failed_and_says_why(
    cluster: None, tmp_path: Path, model_dir: Path, source: Path
) -> None:
    home, nowhere = tmp_path / "home", tmp_path / "no model"

    def without_model(plan: Plan) -> Plan:
        return replace(plan, settings=plan.settings.model_copy(update={"model": nowhere}))

    summary = run(home, model_dir, source, ray_engines.signing, without_model, runner="ray", workers=1)
    assert summary.status == "failed"
    assert summary.message is not None
    assert f"{nowhere} is no folder" in summary.message
    found = Warehouse(home).query("SELECT DISTINCT status, category, message FROM extractions").to_pylist()
    assert [(row["status"], row["category"]) for row in found] == [("failed", "engine_error")]
    assert f"{nowhere} is no folder" in found[0]["message"]
    assert run(home, model_dir, source, ray_engines.signing).documents == DOCUMENTS


def test_a_deadline_ends_the_parts_at_work_and_the_next_run_does_the_rest(
    cluster: None, tmp_path: Path, model_dir: Path, source: Path
) -> None:
    hold, home = tmp_path / "signed" / "hold", tmp_path / "home"
    hold.touch()
    given: dict[str, Any] = {"runner": "ray", "workers": 1}
    cut = run(home, model_dir, source, ray_engines.slow, **given, deadline=8.0)
    hold.unlink()
    assert (cut.status, cut.documents) == ("failed", 0)
    assert "the deadline of 8 s came first" in (cut.message or "")
    rest = run(home, model_dir, source, ray_engines.signing, **given)
    assert (rest.status, rest.documents) == ("finished", DOCUMENTS)


def _first_at_work(signed: Path, seconds: float = 90.0) -> int:
    """A worker's process, once two are at work."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = [int(path.name) for path in signed.iterdir() if path.name != "hold"]
        if len(found) == 2:
            return found[0]
        time.sleep(0.05)
    raise AssertionError("two workers were never at work")

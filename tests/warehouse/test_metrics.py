"""A run's metrics, counted by hand beside."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta

import pytest

from schemas.errors import WarehouseError
from schemas.records import Blob, Category, Status
from tests.warehouse.samples import RECIPE, document, extraction, ok
from warehouse.metrics import Metrics, named
from warehouse.rows import Sighting
from warehouse.store import Warehouse


def night(warehouse: Warehouse, *names: str, counted: int | None = None, kind: str = "extract") -> Metrics:
    """A run over documents of these names, all accepted; it counted `counted` of them."""
    run_id = warehouse.start_run(kind, "receipt@1", RECIPE, "in/", retry=set(Status))
    warehouse.stage(f"s-{run_id}", run_id, [document(name) for name in names], ok(names, run_id))
    warehouse.land()
    warehouse.finish_run(run_id, "finished", {"accepted": len(names) if counted is None else counted})
    return warehouse.measure(run_id)


def test_shares_nulls_and_latency(warehouse: Warehouse) -> None:
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    bad = extraction("c", run_id, status=Status.FLAGGED, category=Category.UNGROUNDED)
    lost = extraction("d", run_id, status=Status.REJECTED, category=Category.TRUNCATED, value=None)
    found = [*ok("ab", run_id), bad, dataclasses.replace(lost, fields=())]
    warehouse.stage("s", run_id, [document(name) for name in "abcd"], found)
    warehouse.land()
    warehouse.finish_run(run_id, "finished", {"accepted": 2, "flagged": 1, "rejected": 1, "tokens": 9})
    values = warehouse.measure(run_id).values
    shares = [values[f"{status}_share"] for status in Status]
    assert shares == [0.5, 0.25, 0.25, 0.0]
    assert (values["valid_share"], values["category_share:truncated"]) == (0.75, 0.25)
    assert values["category_share:syntax_error"] == 0.0
    assert (values["null_share:/total"], values["null_share:/lines/*/amount"]) == (0.0, 1.0)
    assert (values["latency_p50_s"], values["latency_p95_s"]) == (2.5, 2.5)
    kept = warehouse.query("SELECT metric, value FROM run_metrics").to_pylist()
    assert {row["metric"]: row["value"] for row in kept} == values


def test_documents_in_are_what_the_run_counted(warehouse: Warehouse) -> None:
    values = night(warehouse, "a", "b", counted=3).values
    assert (values["documents_in"], values["documents_out"]) == (3, 2)
    values = night(warehouse, "a", "b").values
    assert (values["documents_in"], values["documents_out"], values["repeated_documents"]) == (2, 2, 0)


@pytest.mark.parametrize(("ending", "expected"), [("finished", 3), ("failed", 2)])
def test_one_that_was_seen_and_lost_before_its_outcome_is_in(
    warehouse: Warehouse, ending: str, expected: int
) -> None:
    """A run that ended early has not seen the rest in vain: only a whole one has to account for all."""
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    warehouse.stage("s", run_id, [document("a"), document("b")], ok("ab", run_id))
    warehouse.land()
    warehouse.finish_run(run_id, ending, {"accepted": 2, "seen": 3})
    warehouse.quarantine(run_id)
    values = warehouse.measure(run_id).values
    assert (values["documents_in"], values["documents_out"]) == (expected, 2)


def test_what_another_run_did_meanwhile_is_out_too(warehouse: Warehouse) -> None:
    night(warehouse, "a", "b")
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")  # without a retry
    warehouse.stage("late", run_id, [document("a"), document("c")], ok("ac", run_id))
    warehouse.land()
    warehouse.finish_run(run_id, "finished", {"accepted": 2})
    values = warehouse.measure(run_id).values
    assert (values["documents_in"], values["documents_out"]) == (2, 2)


def test_a_doubled_extraction_is_counted(warehouse: Warehouse) -> None:
    run_id = night(warehouse, "a", "b").run_id
    sql = f"INSERT INTO extractions FROM extractions WHERE document_id = '{document('a').document_id}'"
    warehouse.query(sql, read_only=False)
    values = warehouse.measure(run_id).values
    assert (values["repeated_documents"], values["documents_in"], values["documents_out"]) == (1, 2, 3)


def test_history_is_the_last_seven_runs_that_count(warehouse: Warehouse) -> None:
    for _ in range(9):
        night(warehouse, "a")
    night(warehouse, "a", kind="rerun")
    hidden = night(warehouse, "a", "b", "c")
    warehouse.quarantine(hidden.run_id)
    history = night(warehouse, "a", "b").history
    assert [run["documents_in"] for run in history] == [1.0] * 7


def test_freshness(warehouse: Warehouse) -> None:
    night(warehouse, "a")
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    modified = datetime.now(UTC) - timedelta(hours=30)
    seen = Sighting(Blob("file:///in/b", 1, modified), (document("b").document_id,))
    warehouse.stage("s", run_id, [document("b")], ok("b", run_id), [seen])
    warehouse.land()
    warehouse.finish_run(run_id, "finished", {"accepted": 1})
    sql = "UPDATE runs SET finished_at = finished_at - INTERVAL 5 HOUR WHERE run_id <> ?"
    warehouse.query(sql, [run_id], read_only=False)
    values = warehouse.measure(run_id).values
    assert values["newest_document_age_h"] == pytest.approx(30, abs=0.1)
    assert values["hours_since_last_run"] == pytest.approx(5, abs=0.1)


def test_a_run_that_has_not_ended_is_not_measured(warehouse: Warehouse) -> None:
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    for unknown in (run_id, "nobody"):
        with pytest.raises(WarehouseError, match=f"no run {unknown} that has ended"):
            warehouse.measure(unknown)


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("/lines/*/amount", "/lines/*/amount"),
        ("/größe", "/größe"),
        ("/<script>$x", "/%3Cscript%3E%24x"),
        ('/a"b c', "/a%22b%20c"),
    ],
)
def test_names_hold_no_mark_up(part: str, name: str) -> None:
    assert named("null_share", part) == f"null_share:{name}"

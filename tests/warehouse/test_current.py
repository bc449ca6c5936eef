"""Which extraction counts, after any order of runs, failures and quarantines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import WarehouseError
from schemas.records import Category, Status
from tests.warehouse.samples import RECIPE, document, extraction
from warehouse.store import Warehouse

NAMES = ("a", "b")
STATUSES = st.sampled_from([Status.ACCEPTED, Status.FLAGGED, Status.FAILED, None])
RUNS = st.lists(st.tuples(STATUSES, STATUSES, st.booleans()), min_size=1, max_size=4)


def land(warehouse: Warehouse, statuses: tuple[Status | None, ...]) -> str:
    """One run that ended so for each of the documents; None for one that it did not see."""
    run_id = warehouse.start_run("rerun", "receipt@1", RECIPE, "in/", retry=set(Status))
    found = [
        extraction(
            name, run_id, status=status, category=Category.TIMEOUT if status == Status.FAILED else None
        )
        for name, status in zip(NAMES, statuses, strict=True)
        if status
    ]
    warehouse.stage(f"s-{run_id}", run_id, [document(name) for name in NAMES], found)
    warehouse.land()
    warehouse.finish_run(run_id, "finished", {})
    return run_id


def expected(runs: list[tuple[str, Status | None]]) -> str | None:
    """The newest run with an answer for a document, else the newest."""
    seen = [run_id for run_id, status in runs if status]
    answered = [run_id for run_id, status in runs if status and status != Status.FAILED]
    chosen = answered or seen
    return chosen[-1] if chosen else None


@given(runs=RUNS)
@settings(max_examples=8)
def test_the_newest_answer_outside_quarantine_counts(
    tmp_path_factory: pytest.TempPathFactory, runs: list[tuple[Status | None, Status | None, bool]]
) -> None:
    warehouse = Warehouse(tmp_path_factory.mktemp("current"))
    done = [(land(warehouse, (first, second)), first, second, hidden) for first, second, hidden in runs]
    for run_id, _, _, hidden in done:
        if hidden:
            warehouse.quarantine(run_id)
    _check(warehouse, [row[:3] for row in done if not row[3]])
    for run_id, _, _, hidden in done:
        if hidden:
            warehouse.release(run_id)
    _check(warehouse, [row[:3] for row in done])


def _check(warehouse: Warehouse, runs: list[tuple[str, Status | None, Status | None]]) -> None:
    for index, name in enumerate(NAMES):
        sql = "SELECT run_id FROM current WHERE document_id = ?"
        found = warehouse.query(sql, [document(name).document_id])["run_id"].to_pylist()
        wanted = expected([(run_id, (first, second)[index]) for run_id, first, second in runs])
        assert found == ([wanted] if wanted else [])


def test_only_an_ended_run_goes_into_quarantine(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    with pytest.raises(WarehouseError, match=f"no run {run_id} that is finished"):
        warehouse.quarantine(run_id)
    with pytest.raises(WarehouseError, match="that is quarantined"):
        warehouse.release(run_id)

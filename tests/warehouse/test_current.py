"""Which extraction counts, after any order of answers, failures and quarantines."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from schemas.errors import WarehouseError
from schemas.records import Category, Status
from tests.warehouse.samples import RECIPE, document, extraction, sha
from warehouse.store import Warehouse

RUNS = 3
# How a document ended in each run; None where the run did not see it. Every combination has its document.
ENDS = (Status.ACCEPTED, Status.FLAGGED, Status.FAILED, None)
DOCUMENTS = {f"d{number}": ends for number, ends in enumerate(product(ENDS, repeat=RUNS))}


def land(warehouse: Warehouse, place: int) -> str:
    """The run of this place: all documents that it saw."""
    run_id = warehouse.start_run("rerun", "receipt@1", RECIPE, "in/", retry=set(Status))
    found = [
        extraction(
            name, run_id, status=status, category=Category.TIMEOUT if status == Status.FAILED else None
        )
        for name, ends in DOCUMENTS.items()
        if (status := ends[place])
    ]
    warehouse.stage(f"s-{run_id}", run_id, map(document, DOCUMENTS), found)
    warehouse.land()
    warehouse.finish_run(run_id, "finished", {})
    return run_id


def expected(runs: list[tuple[str, Status | None]]) -> str | None:
    """The newest run with an answer for a document, else the newest that saw it."""
    seen = [run_id for run_id, status in runs if status]
    answered = [run_id for run_id, status in runs if status and status != Status.FAILED]
    chosen = answered or seen
    return chosen[-1] if chosen else None


def test_the_newest_answer_outside_quarantine_counts(warehouse: Warehouse) -> None:
    runs = [land(warehouse, place) for place in range(RUNS)]
    hidden: set[str] = set()
    _check(warehouse, runs, hidden)
    for place in (0, 1, 0, 2, 0, 1, 0):  # each set of hidden runs, one run in or out at a time
        change = warehouse.release if runs[place] in hidden else warehouse.quarantine
        change(runs[place])
        hidden ^= {runs[place]}
        _check(warehouse, runs, hidden)


def _check(warehouse: Warehouse, runs: list[str], hidden: set[str]) -> None:
    rows = warehouse.query("SELECT document_id, run_id FROM current").to_pylist()
    found = {row["document_id"]: row["run_id"] for row in rows}
    assert len(found) == len(rows)
    for name, ends in DOCUMENTS.items():
        counting = [pair for pair in zip(runs, ends, strict=True) if pair[0] not in hidden]
        assert found.get(sha(name)) == expected(counting)


def test_only_an_ended_run_goes_into_quarantine(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    with pytest.raises(WarehouseError, match=f"no run {run_id} that is finished"):
        warehouse.quarantine(run_id)
    with pytest.raises(WarehouseError, match="that is quarantined"):
        warehouse.release(run_id)

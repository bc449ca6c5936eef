"""The record of runs, and what happens to one whose process is gone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from uuid import UUID

import pytest

from schemas.errors import WarehouseError
from schemas.records import Category, Status
from tests.warehouse.samples import RECIPE, document, extraction
from warehouse import ledger
from warehouse.rows import now
from warehouse.runs import new_run_id
from warehouse.store import Warehouse


def start(warehouse: Warehouse, pid: int | None = None) -> str:
    return warehouse.start_run("extract", "receipt@1", RECIPE, "in/", pid)


def status(warehouse: Warehouse, run_id: str) -> str:
    rows = warehouse.query("SELECT status FROM runs WHERE run_id = ?", [run_id])
    return str(rows["status"][0].as_py())


def test_run_ids_are_uuid7_and_in_order() -> None:
    ids = [UUID(new_run_id()) for _ in range(50)]
    assert {one.version for one in ids} == {7}
    assert {one.variant for one in ids} == {"specified in RFC 4122"}
    assert [one.int >> 80 for one in ids] == sorted(one.int >> 80 for one in ids)


def test_a_run_from_start_to_end(warehouse: Warehouse) -> None:
    run_id = start(warehouse)
    assert status(warehouse, run_id) == "running"
    assert warehouse.heartbeat(run_id) is True
    bad = extraction(
        "b", run_id, status=Status.REJECTED, category=Category.SYNTAX_ERROR, value=None, attempts=2
    )
    warehouse.stage("s", run_id, [document("a"), document("b")], [extraction("a", run_id), bad])
    warehouse.land()
    warehouse.finish_run(run_id, "finished", {"accepted": 1, "rejected": 1})
    (row,) = warehouse.query("FROM run_summary").to_pylist()
    assert (row["documents"], row["accepted"], row["rejected"], row["attempts"]) == (2, 1, 1, 3)
    assert (row["output_tokens"], row["status"], row["source"]) == (36, "finished", "in/")
    (run,) = warehouse.query("SELECT documents, counts FROM runs").to_pylist()
    assert run["documents"] == 2
    assert json.loads(run["counts"]) == {"accepted": 1, "rejected": 1}


def test_a_run_whose_process_is_gone_has_crashed(warehouse: Warehouse) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    dead, alive = start(warehouse, gone.pid), start(warehouse, os.getpid())
    assert warehouse.reap() == [dead]
    assert status(warehouse, dead) == "crashed"
    assert status(warehouse, alive) == "running"
    assert warehouse.reap() == []


def test_a_number_that_another_process_has_by_now_is_of_no_living_run(warehouse: Warehouse) -> None:
    """As in a container that was started anew: its processes get the numbers of the last one's."""
    later = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        before, now = start(warehouse, later.pid), start(warehouse, later.pid)
        sql = "UPDATE runs SET started_at = started_at - INTERVAL 20 MINUTE WHERE run_id = ?"
        warehouse.query(sql, [before], read_only=False)
        assert warehouse.reap() == [before]
        assert status(warehouse, now) == "running"
    finally:
        later.communicate(b"\n")


def test_a_run_that_is_silent_has_crashed(warehouse: Warehouse) -> None:
    here, elsewhere = start(warehouse), start(warehouse)
    sql = "UPDATE runs SET heartbeat_at = heartbeat_at - ?::INTERVAL"
    warehouse.query(sql, [timedelta(seconds=100)], read_only=False)
    warehouse.query("UPDATE runs SET host = 'another' WHERE run_id = ?", [elsewhere], read_only=False)
    assert warehouse.reap(silence_s=200) == []
    assert warehouse.reap(silence_s=50) == [elsewhere]
    assert status(warehouse, here) == "running", (
        "its process is seen to live, whatever its clock or a reader did"
    )


def test_a_run_that_was_taken_for_dead_ends_as_it_ends(warehouse: Warehouse) -> None:
    told, noted = start(warehouse), start(warehouse)
    warehouse.query("UPDATE runs SET host = 'another'", read_only=False)
    assert warehouse.reap(silence_s=0.0) == [told, noted]
    warehouse.finish_run(told, "finished", {})
    ledger.tell(
        warehouse.staging, "ended", run_id=noted, status="failed", counts={}, message=None, moment=now()
    )
    warehouse.land()
    assert (status(warehouse, told), status(warehouse, noted)) == ("finished", "failed")


def test_wrong_endings_and_unknown_runs_are_refused(warehouse: Warehouse) -> None:
    run_id = start(warehouse)
    with pytest.raises(WarehouseError, match="finished, interrupted, failed, crashed"):
        warehouse.finish_run(run_id, "fine", {})
    with pytest.raises(WarehouseError, match="no run nobody"):
        warehouse.finish_run("nobody", "finished", {})
    assert status(warehouse, run_id) == "running"

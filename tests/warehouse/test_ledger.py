"""What is recorded later, because somebody held the database when it happened."""

from __future__ import annotations

import subprocess
import sys

import pytest

from schemas.records import Status
from tests.warehouse.holding import held
from tests.warehouse.samples import RECIPE, document, ok
from warehouse.ledger import notes, tell
from warehouse.store import Warehouse


@pytest.fixture
def hurried(warehouse: Warehouse) -> Warehouse:
    warehouse.query("SELECT 1")
    return Warehouse(warehouse.home, wait_s=0.1)


def test_a_whole_run_beside_a_reader_is_landed_afterwards(hurried: Warehouse) -> None:
    with held(hurried.database) as reader:
        run_id = hurried.start_run("extract", "receipt@1", RECIPE, "in/", retry={Status.REJECTED})
        hurried.stage("s1", run_id, [document("a"), document("b")], ok("ab", run_id))
        assert f"process {reader.pid} " in str(hurried.end_run(run_id, "finished", {"accepted": 2}, "fine"))
        assert hurried.query("FROM runs").num_rows == 0
    landed = hurried.land()
    assert (landed.shards, landed.extractions) == (1, 2)
    (run,) = hurried.query("FROM runs").to_pylist()
    told = (run["run_id"], run["status"], run["documents"], run["message"], run["retry"])
    assert told == (run_id, "finished", 2, "fine", ["rejected"])
    assert run["started_at"] <= run["finished_at"]
    assert hurried.query("FROM current").num_rows == 2
    assert list(hurried.staging.iterdir()) == []
    assert hurried.reap() == []


def test_an_ending_waits_behind_its_beginning(hurried: Warehouse) -> None:
    with held(hurried.database):
        run_id = hurried.start_run("extract", "receipt@1", RECIPE, "in/")
    hurried.finish_run(run_id, "interrupted", {})
    assert len(notes(hurried.staging)) == 2
    hurried.land()
    assert hurried.query("SELECT status FROM runs").to_pylist() == [{"status": "interrupted"}]


def test_a_run_that_dies_beside_a_reader_is_found_dead(hurried: Warehouse) -> None:
    script = """
import sys
from pathlib import Path
from tests.warehouse.samples import RECIPE
from warehouse.store import Warehouse
print(Warehouse(Path(sys.argv[1]), wait_s=0.1).start_run("extract", "receipt@1", RECIPE, "in/"))
"""
    with held(hurried.database):
        run_id = subprocess.check_output([sys.executable, "-c", script, str(hurried.home)], text=True).strip()
    hurried.land()
    assert hurried.reap() == [run_id]


def test_notes_that_a_kill_left_are_taken_up_twice_without_harm(hurried: Warehouse) -> None:
    with held(hurried.database):
        run_id = hurried.start_run("extract", "receipt@1", RECIPE, "in/")
        hurried.end_run(run_id, "finished", {})
    left = {path: path.read_bytes() for path in notes(hurried.staging)}
    hurried.land()
    hurried.quarantine(run_id)
    for path, content in left.items():
        path.write_bytes(content)
    hurried.land()
    assert hurried.query("SELECT status FROM runs").to_pylist() == [{"status": "quarantined"}]


def test_a_run_that_ended_before_its_last_shard_was_landed_counts_it(hurried: Warehouse) -> None:
    run_id = hurried.start_run("extract", "receipt@1", RECIPE, "in/")
    hurried.stage("s1", run_id, [document("a")], ok("a", run_id))
    hurried.finish_run(run_id, "finished", {})
    hurried.land()
    assert hurried.query("SELECT documents FROM runs").to_pylist() == [{"documents": 1}]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"kind": "drop", "what": {}}', '{"kind": "begun"}'])
def test_a_note_that_is_none_of_ours_stops_nothing(hurried: Warehouse, content: str) -> None:
    run_id = hurried.start_run("extract", "receipt@1", RECIPE, "in/")
    tell(hurried.staging, "ended", run_id=run_id, status="finished", counts={}, message=None)
    (hurried.staging / "0.note.json").write_text(content)
    hurried.land()
    assert hurried.query("SELECT status FROM runs").to_pylist() == [{"status": "finished"}]
    assert [path.name for path in notes(hurried.staging)] == ["0.note.json"]

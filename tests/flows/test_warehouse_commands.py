"""`assay land` and `assay snapshot`, and what `assay rerun` refuses."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner, Result

from flows.cli import app
from tests.warehouse.samples import RECIPE, document, ok
from warehouse.store import Warehouse


@pytest.fixture
def warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Warehouse:
    """One document landed, another staged."""
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ASSAY_GATE", "off")
    found = Warehouse(tmp_path / "home")
    run_id = found.start_run("extract", "receipt@1", RECIPE, "in/")
    for name in "ab":
        found.stage(name, run_id, [document(name)], ok(name, run_id))
        if name == "a":
            found.land()
    return found


def assay(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_land_takes_up_what_waits(warehouse: Warehouse) -> None:
    assert assay("land").stdout == "landed 1 shards: 1 documents, 0 there already\n"
    assert json.loads(assay("land", "--json").stdout) == {
        "shards": 0, "extractions": 0, "skipped": 0, "damaged": [],
    }  # fmt: skip


def test_land_tells_of_damage_and_of_runs_that_died(warehouse: Warehouse) -> None:
    (warehouse.staging / "b" / "fields.parquet").write_text("damaged")
    dead = warehouse.start_run("extract", "receipt@1", RECIPE, "in/", pid=2**22 + 1)
    result = assay("land")
    assert result.exit_code == 1
    assert "staging/.damaged-b" in result.stderr
    assert f"run {dead} had ended without a word" in result.stderr


def test_a_snapshot_is_a_database(warehouse: Warehouse, tmp_path: Path) -> None:
    file = tmp_path / "monday.duckdb"
    assert assay("snapshot", str(file)).stdout.startswith(f"{file}: ")
    with duckdb.connect(str(file), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM current").fetchall() == [(1,)]
    assert "there already" in str(assay("snapshot", str(file)).exception)
    assert assay("snapshot", str(file), "--force").exit_code == 0


def test_a_purge_beside_a_run_is_refused(warehouse: Warehouse) -> None:
    from flows.lock import exclusive

    with exclusive(warehouse.home):
        assert "another run" in str(assay("purge", "a", "--yes").exception)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--schema", "receipt@1", "--status", "flagged,wrong"], "--status wrong: choose of accepted"),
        (["--schema", "receipt@1", "--from-run", "zzz"], "no run starts with 'zzz'"),
        (["--schema", "nothing@1"], "nothing"),
        (["--schema", "receipt@1", "--where", "1 = 1; DROP TABLE runs"], "--where"),
    ],
)
def test_rerun_refuses_what_cannot_be_done(warehouse: Warehouse, arguments: list[str], told: str) -> None:
    assert told in str(assay("rerun", *arguments, "--dry-run").exception)


def test_rerun_needs_a_warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "none"))
    assert "no warehouse" in str(assay("rerun", "--schema", "receipt@1").exception)
    assert not (tmp_path / "none").exists()

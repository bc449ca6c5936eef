"""A copy that stays open beside the warehouse."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from schemas.errors import UsageError, WarehouseError
from tests.warehouse.holding import held
from tests.warehouse.samples import RECIPE, document, ok
from warehouse.copies import existing
from warehouse.store import Warehouse


@pytest.fixture
def run_id(warehouse: Warehouse) -> str:
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    warehouse.stage("s1", run_id, [document("a")], ok("a", run_id))
    warehouse.land()
    return run_id


def test_a_snapshot_has_tables_and_views_and_landing_goes_on_beside_it(
    warehouse: Warehouse, run_id: str, tmp_path: Path
) -> None:
    file = tmp_path / "new" / "monday's.duckdb"
    warehouse.snapshot(file)
    with held(file):
        warehouse.stage("s2", run_id, [document("b")], ok("b", run_id))
        assert warehouse.land().extractions == 1
    with duckdb.connect(str(file), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM current").fetchall() == [(1,)]
    assert list(file.parent.iterdir()) == [file]


def test_what_a_dead_writer_left_in_the_log_is_in_the_snapshot(
    warehouse: Warehouse, run_id: str, tmp_path: Path
) -> None:
    dies = "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]); c.execute(sys.argv[2]); os._exit(1)"
    told = "UPDATE runs SET source = 'from the log'"
    subprocess.run([sys.executable, "-c", dies, str(warehouse.database), told], check=False)
    assert warehouse.database.with_name("warehouse.duckdb.wal").exists()
    warehouse.snapshot(tmp_path / "copy")
    with duckdb.connect(str(tmp_path / "copy"), read_only=True) as connection:
        assert connection.execute("SELECT source FROM runs").fetchall() == [("from the log",)]


def test_a_snapshot_can_be_made_beside_a_reader_and_is_recorded_later(
    warehouse: Warehouse, run_id: str, tmp_path: Path
) -> None:
    with held(warehouse.database):
        warehouse.snapshot(tmp_path / "copy")
        assert warehouse.query("FROM copies").num_rows == 0
    warehouse.land()
    (row,) = warehouse.query("SELECT path, kind FROM copies").to_pylist()
    assert row == {"path": str(tmp_path / "copy"), "kind": "snapshot"}


def test_a_file_that_is_there_is_only_replaced_where_asked(
    warehouse: Warehouse, run_id: str, tmp_path: Path
) -> None:
    file = tmp_path / "precious"
    file.write_text("mine")
    with pytest.raises(UsageError, match="there already"):
        warehouse.snapshot(file)
    assert file.read_text() == "mine"
    assert warehouse.query("FROM copies").num_rows == 0
    for folder in (warehouse.database, tmp_path):
        with pytest.raises(UsageError, match="there already"):
            warehouse.snapshot(folder, replace=True)
    warehouse.snapshot(file, replace=True)
    warehouse.snapshot(file, replace=True)
    assert warehouse.query("FROM copies").num_rows == 1


def test_copies_that_are_gone_are_not_named(warehouse: Warehouse, run_id: str, tmp_path: Path) -> None:
    warehouse.snapshot(tmp_path / "a")
    warehouse.snapshot(tmp_path / "b")
    (tmp_path / "a").unlink()
    with duckdb.connect(str(warehouse.database)) as connection:
        assert [copy.path.name for copy in existing(connection)] == ["b"]


def test_a_folder_that_cannot_be_made_is_an_error_with_a_name(
    warehouse: Warehouse, run_id: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WarehouseError, match="cannot be written"):
        warehouse.snapshot(tmp_path / "file" / "copy")

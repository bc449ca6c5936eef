"""A database of the first release, opened by this one."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from schemas.errors import WarehouseError
from tests.warehouse.holding import held
from warehouse.migrate import shipped
from warehouse.store import Warehouse

RUN = """INSERT INTO runs VALUES
    ('01', 'extract', 'receipt@1', 'r', 'in/', [], 'finished', 'host', 1, now(), now(), now(), 1, '{}', NULL)
"""
ROW = """INSERT INTO extractions VALUES
    ('01', 'd', 'r', 'receipt@1', 'accepted', NULL, NULL, NULL, '{"total":"1.00"}', 'a', 1, now(), true)"""


@pytest.fixture
def old(tmp_path: Path) -> Warehouse:
    """What the first migration alone made, with a run in it."""
    warehouse = Warehouse(tmp_path / "home", wait_s=0.5)
    warehouse.home.mkdir()
    first = shipped()[0]
    with duckdb.connect(str(warehouse.database)) as connection:
        connection.execute(first.sql)
        connection.execute("""CREATE TABLE migrations (number INTEGER PRIMARY KEY, name VARCHAR NOT NULL,
            sha256 VARCHAR NOT NULL, applied_at TIMESTAMP NOT NULL)""")
        connection.execute(
            "INSERT INTO migrations VALUES (1, ?, ?, now()::TIMESTAMP)", [first.name, first.sha256]
        )
        connection.execute(RUN)
        connection.execute(ROW)
    return warehouse


def test_it_is_upgraded_with_a_backup_and_all_views_answer(old: Warehouse) -> None:
    assert old.query("SELECT status FROM current").to_pylist() == [{"status": "accepted"}]
    numbers = old.query("SELECT number FROM migrations ORDER BY number")["number"].to_pylist()
    assert numbers == [one.number for one in shipped()]
    views = "SELECT view_name FROM duckdb_views() WHERE NOT internal AND schema_name = 'main'"
    for view in old.query(views)["view_name"].to_pylist():
        old.query(f'FROM "{view}" LIMIT 1')
    (backup,) = old.home.glob("warehouse.duckdb.before-*")
    assert backup.name == f"warehouse.duckdb.before-{shipped()[1].name}"
    with duckdb.connect(str(backup), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM extractions").fetchall() == [(1,)]


def test_a_reader_puts_the_upgrade_off_with_its_name(old: Warehouse) -> None:
    with held(old.database) as reader, pytest.raises(WarehouseError, match=f"process {reader.pid} "):
        old.query("FROM current")
    assert list(old.home.glob("*.before-*")) == []
    assert old.query("FROM current").num_rows == 1

"""Who may open the database, and what is said to those who may not."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import pytest

from schemas.errors import UsageError, WarehouseError, WarehouseLocked
from tests.warehouse.holding import held
from tests.warehouse.samples import RECIPE, document, ok
from warehouse.connection import opened, transaction
from warehouse.migrate import Migration, migrate, shipped
from warehouse.store import Warehouse


def test_a_held_database_names_its_holder(warehouse: Warehouse) -> None:
    warehouse.query("SELECT 1")
    hurried = Warehouse(warehouse.home, wait_s=0.2)
    with held(warehouse.database, read_only=False) as process, pytest.raises(WarehouseLocked) as raised:
        hurried.query("SELECT 1")
    assert f"process {process.pid} " in str(raised.value)
    assert "waited 0.2 s" in str(raised.value)


def test_a_held_database_is_waited_for(warehouse: Warehouse) -> None:
    warehouse.query("SELECT 1")
    with held(warehouse.database, read_only=False) as process:
        release = threading.Timer(0.5, process.kill)
        release.start()
        assert warehouse.query("SELECT 1 AS one").to_pylist() == [{"one": 1}]
        release.join()


def test_a_reader_delays_landing_and_loses_nothing(warehouse: Warehouse) -> None:
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    hurried = Warehouse(warehouse.home, wait_s=0.2)
    hurried.stage("s1", run_id, [document("a")], ok(["a"], run_id))
    with held(warehouse.database, read_only=True):
        assert warehouse.query("SELECT 1 AS one").num_rows == 1
        with pytest.raises(WarehouseLocked):
            hurried.land()
        assert hurried.heartbeat(run_id) is False
    assert hurried.land().extractions == 1


def test_threads_take_turns(warehouse: Warehouse) -> None:
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    seen: list[int] = []

    def look() -> None:
        seen.extend(warehouse.query("SELECT 1 AS one")["one"].to_pylist())

    def beat() -> None:
        warehouse.finish_run(run_id, "finished", {})

    threads = [threading.Thread(target=look if index % 2 else beat) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [1, 1, 1, 1]


def test_something_else_is_refused(tmp_path: Path) -> None:
    for name, content in {"text": b"not a database at all" * 1000}.items():
        home = tmp_path / name
        home.mkdir()
        (home / "warehouse.duckdb").write_bytes(content)
        with pytest.raises(WarehouseError, match="cannot be opened"):
            Warehouse(home).query("SELECT 1")


def test_another_programs_database_is_refused(unmade: Warehouse) -> None:
    unmade.home.mkdir()
    with duckdb.connect(str(unmade.database)) as theirs:
        theirs.execute("CREATE TABLE orders (id INTEGER)")
    with pytest.raises(WarehouseError, match="belongs to something else"):
        unmade.query("SELECT 1")


def test_a_newer_database_is_refused_with_what_it_needs(warehouse: Warehouse) -> None:
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    warehouse.stage("s1", run_id, [document("a")], ok(["a"], run_id))
    with opened(warehouse.database) as connection:
        connection.execute("INSERT INTO migrations VALUES (9999, '9999_later', 'x', now()::TIMESTAMP)")
    for ask in (warehouse.land, warehouse.reap, lambda: warehouse.query("SELECT 1")):
        with pytest.raises(WarehouseError, match=r"newer .* 9999_later"):
            ask()
    assert (warehouse.staging / "s1").exists()


def _later(sql: str) -> tuple[Migration, ...]:
    return (*shipped(), Migration(9999, "9999_later", sql, "y"))


def test_an_older_database_is_upgraded_after_a_backup(warehouse: Warehouse) -> None:
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    migrate(warehouse.database, known=_later("CREATE TABLE later (a INTEGER)"))
    with duckdb.connect(str(warehouse.database)) as connection:
        assert connection.execute("SELECT count(*) FROM later").fetchall() == [(0,)]
    copy = warehouse.home / "warehouse.duckdb.before-9999_later"
    with duckdb.connect(str(copy), read_only=True) as connection:
        assert connection.execute("SELECT run_id FROM runs").fetchall() == [(run_id,)]


def test_a_migration_that_breaks_leaves_no_trace(warehouse: Warehouse) -> None:
    warehouse.query("SELECT 1")
    with pytest.raises(WarehouseError, match="9999_later"):
        migrate(warehouse.database, known=_later("CREATE TABLE later (a INTEGER); SELECT 1 FROM nowhere"))
    assert warehouse.query("SELECT * FROM duckdb_tables() WHERE table_name = 'later'").num_rows == 0


def test_a_migration_never_changes(warehouse: Warehouse) -> None:
    migrate(warehouse.database, known=_later("CREATE TABLE later (a INTEGER)"))
    changed = (*shipped(), Migration(9999, "9999_later", "CREATE TABLE later (b INTEGER)", "z"))
    with pytest.raises(WarehouseError, match="not the one"):
        migrate(warehouse.database, known=changed)


def _half(warehouse: Warehouse) -> None:
    with opened(warehouse.database) as connection, transaction(connection):
        connection.execute("CREATE TABLE half (a INTEGER)")
        raise KeyboardInterrupt


def test_a_transaction_is_all_or_nothing(warehouse: Warehouse) -> None:
    warehouse.query("SELECT 1")
    with pytest.raises(KeyboardInterrupt):
        _half(warehouse)
    assert warehouse.query("SELECT * FROM duckdb_tables() WHERE table_name = 'half'").num_rows == 0


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('{file}')",
        "SELECT * FROM read_text('{file}')",
        "COPY runs TO '{file}.csv'",
        "EXPORT DATABASE '{file}.out'",
        "ATTACH '{file}.duckdb'",
        "INSERT INTO migrations VALUES (1, 'x', 'x', now())",
        "DROP TABLE runs",
        "SET enable_external_access = true",
        "SELECT 1; SET lock_configuration = false",
        "INSTALL httpfs",
    ],
)
def test_a_persons_sql_only_reads_tables(warehouse: Warehouse, tmp_path: Path, sql: str) -> None:
    file = tmp_path / "secret"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(UsageError):
        warehouse.query(sql.format(file=file))
    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == ["secret"]


def test_sql_with_parameters_and_without_an_answer(warehouse: Warehouse) -> None:
    assert warehouse.query("SELECT ? AS a", ["';"]).to_pylist() == [{"a": "';"}]
    assert warehouse.query("SELECT $x AS a", {"x": 5}).to_pylist() == [{"a": 5}]
    assert warehouse.query("-- nothing").num_columns == 0
    with pytest.raises(UsageError, match="selec"):
        warehouse.query("selec 1")


def test_asking_loads_neither_arrow_nor_pydantic(warehouse: Warehouse) -> None:
    warehouse.query("SELECT 1")
    script = """
import sys
from pathlib import Path
from warehouse.store import Warehouse
warehouse = Warehouse(Path(sys.argv[1]))
warehouse.done("r"), warehouse.known([]), warehouse.land(), warehouse.reap(), warehouse.documents([])
print([name for name in ("pyarrow", "pandas", "pydantic") if name in sys.modules])
"""
    command = [sys.executable, "-c", script, str(warehouse.home)]
    assert subprocess.check_output(command, text=True) == "[]\n"

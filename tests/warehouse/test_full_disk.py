"""A disk that fills up while a shard is staged or landed: a clear error, and the next try completes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.warehouse.samples import RECIPE
from warehouse.store import Warehouse

# The system lets no file grow beyond a limit, which fails the write halfway as a full disk does.
_LIMITED = """
import resource, signal, sys
from pathlib import Path
from schemas.errors import WarehouseError
from tests.warehouse.samples import document, ok
from warehouse.store import Warehouse

warehouse, run_id, moment = Warehouse(Path(sys.argv[1])), sys.argv[2], sys.argv[3]
names = [f"d{number}" for number in range(300)]

def stage():
    documents = [document(name, text=name * 2000) for name in names]
    warehouse.stage("s1", run_id, documents, ok(names, run_id))

if moment == "landing":
    stage()
warehouse.query("SELECT 1")
limit = warehouse.database.stat().st_size + 4096 if moment == "landing" else 2000
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    stage() if moment == "staging" else warehouse.land()
except WarehouseError as error:
    print("WarehouseError:", error)
"""


@pytest.mark.parametrize("moment", ["staging", "landing"])
def test_nothing_is_half_there(warehouse: Warehouse, moment: str) -> None:
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    command = [sys.executable, "-c", _LIMITED, str(warehouse.home), run_id, moment]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.startswith("WarehouseError: "), run.stdout
    assert warehouse.query("FROM extractions").num_rows == 0
    assert warehouse.query("FROM documents").num_rows == 0
    waiting = [path.name for path in warehouse.staging.iterdir()]
    assert waiting == (["s1"] if moment == "landing" else [])
    landed = warehouse.land()
    assert landed.extractions == (300 if moment == "landing" else 0)


_UNCLOSED = """
import os, sys
from pathlib import Path
from warehouse.connection import opened, transaction

with opened(Path(sys.argv[1])) as connection:
    with transaction(connection):
        connection.execute("UPDATE runs SET source = 'changed'")
    connection.execute("BEGIN; UPDATE runs SET source = 'not committed'")
    os._exit(1)
"""


def test_a_log_left_by_a_dead_writer_is_read(warehouse: Warehouse) -> None:
    warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    subprocess.run([sys.executable, "-c", _UNCLOSED, str(warehouse.database)], check=False)
    assert (warehouse.home / "warehouse.duckdb.wal").stat().st_size > 0
    assert warehouse.query("SELECT source FROM runs").to_pylist() == [{"source": "changed"}]

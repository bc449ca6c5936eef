"""kill -9 in the middle of a purge: the database is the old one or the new one; another purge completes."""

from __future__ import annotations

import subprocess
import sys

from tests.warehouse.samples import RECIPE, document, ok, sha
from warehouse.store import Warehouse

NAMES = [f"d{number}" for number in range(200)]
# Forked from a process that has loaded everything and opened nothing, so that a kill costs milliseconds.
_KILLED = """
import os, signal, sys, time
from pathlib import Path
from tests.warehouse.samples import sha
from warehouse import erase, rewrite
from warehouse.store import Warehouse

assert erase and rewrite
home, kills, dead_in_it = Path(sys.argv[1]), 12, 0
for kill in range(kills):
    child = os.fork()
    if child == 0:
        warehouse = Warehouse(home)
        warehouse.purge(warehouse.doomed([sha(f"d{kill}")]), "", "tester")
        os._exit(0)
    time.sleep(0.05 + 0.06 * kill)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    dead_in_it += os.WIFSIGNALED(status)
print(dead_in_it)
"""


def test_a_killed_purge_leaves_a_whole_database(warehouse: Warehouse) -> None:
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    warehouse.stage("s1", run_id, [document(name) for name in NAMES], ok(NAMES, run_id))
    warehouse.land()
    command = [sys.executable, "-c", _KILLED, str(warehouse.home)]
    killed = int(subprocess.check_output(command, text=True, timeout=120))
    assert killed > 0
    rows = warehouse.query("SELECT document_id FROM documents")["document_id"].to_pylist()
    stones = warehouse.tombstones().documents
    assert set(rows) | stones == {sha(name) for name in NAMES}
    assert set(rows).isdisjoint(stones)
    warehouse.purge(warehouse.doomed([sha("d0"), sha("d199")]), "", "tester")
    assert warehouse.query("FROM extractions").num_rows == len(set(rows) - {sha("d0"), sha("d199")})
    assert [path.name for path in warehouse.home.iterdir() if path.name.startswith(".")] == []

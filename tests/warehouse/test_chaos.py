"""Fifty kill -9s in the middle of landing, while a reader comes and goes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.warehouse.endless import DOCUMENTS
from tests.warehouse.samples import RECIPE
from warehouse.store import Warehouse

KILLS = 50
# What a reader must find at any moment: all of a shard, or nothing of it.
_WHOLE = """
SELECT (SELECT coalesce(sum(landed), 0) FROM landings) = (SELECT count(*) FROM extractions)
    AND (SELECT count(*) FROM documents) = (SELECT count(*) FROM extractions)
    AND (SELECT count(*) FROM attempts) = (SELECT count(*) FROM extractions)
    AND (SELECT count(*) FROM fields) = 2 * (SELECT count(*) FROM extractions) AS whole
"""
_READER = """
import random, sys, time
from pathlib import Path
from warehouse.connection import opened
chance, reads = random.Random(1), 0
print("reading", flush=True)
while not Path(sys.argv[2]).exists():
    with opened(Path(sys.argv[1]), read_only=True) as connection:
        assert connection.execute(sys.argv[3]).fetchall() == [(True,)]
        time.sleep(chance.uniform(0, 0.1))
    reads += 1
    time.sleep(chance.uniform(0, 0.1))
print(reads)
"""


@contextmanager
def reading(warehouse: Warehouse) -> Iterator[subprocess.Popen[str]]:
    """A reader that opens, looks and closes, until `home/stop` is there."""
    stop = warehouse.home / "stop"
    command = [sys.executable, "-c", _READER, str(warehouse.database), str(stop), _WHOLE]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "reading\n"
        yield reader
        stop.touch()
        told, _ = reader.communicate(timeout=60)
        assert reader.returncode == 0
        assert int(told) > KILLS


@pytest.mark.slow
def test_fifty_kills_lose_nothing_and_double_nothing(warehouse: Warehouse) -> None:
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    (warehouse.home / "run.txt").write_text(run_id)
    command = [sys.executable, "-m", "tests.warehouse.endless", str(warehouse.home), str(KILLS), "7"]
    with reading(warehouse):
        told = subprocess.run(command, check=True, timeout=400, stdout=subprocess.PIPE, text=True)
    assert int(told.stdout) > KILLS / 4
    warehouse.land()
    assert list(warehouse.staging.iterdir()) == []
    staged = (warehouse.home / "staged.txt").read_text().split()
    _check(warehouse, staged)


def _check(warehouse: Warehouse, staged: list[str]) -> None:
    landed = warehouse.query("SELECT shard_id FROM landings ORDER BY shard_id")["shard_id"].to_pylist()
    assert len(landed) == len(set(landed))
    assert set(staged) <= set(landed)
    assert len(landed) - len(staged) <= KILLS  # staged, and killed before it could be noted
    expected = len(landed) * DOCUMENTS
    for table in ("documents", "extractions", "attempts"):
        sql = f"SELECT count(*) AS n, count(DISTINCT document_id) AS documents FROM {table}"
        assert warehouse.query(sql).to_pylist() == [{"n": expected, "documents": expected}], table
    assert warehouse.query(_WHOLE).to_pylist() == [{"whole": True}]
    assert warehouse.query("SELECT count(*) AS n FROM current").to_pylist() == [{"n": expected}]

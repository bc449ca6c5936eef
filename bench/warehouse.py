"""The warehouse under load: landing against DuckDB's own Arrow insert, memory, and the time of each view.

`python bench/warehouse.py [--documents 100000] [--attempts 10] [--shard 5000] [--home DIR]` makes synthetic
rows, lands them through staged Parquet, and prints one JSON object. Times are seconds of this one run; the
ratios are what can be compared between machines.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

# Before this file's own folder, in which it would stand in for the package of its name.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.synthetic import shard_tables
from warehouse.connection import opened, transaction
from warehouse.store import Warehouse
from warehouse.tables import TABLES

RECIPE = "synthetic0000000"
VIEWS = (
    *("failures", "failures_by_run", "failures_by_field", "run_summary"),
    *("cost", "latency", "retries", "nulls"),
)


def main() -> None:
    """Run all measurements and print them."""
    options = _options()
    home = Path(tempfile.mkdtemp(prefix="assay-bench-", dir=options.home))
    try:
        json.dump(measure(home, options), sys.stdout, indent=2)
        print()
    finally:
        shutil.rmtree(home)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--attempts", type=int, default=10, help="for each document")
    parser.add_argument("--shard", type=int, default=5_000, help="documents in a shard")
    parser.add_argument("--home", type=Path, help="where the temporary warehouse is made")
    return parser.parse_args()


def measure(home: Path, options: argparse.Namespace) -> dict[str, Any]:
    """All figures of one run."""
    warehouse = Warehouse(home / "landed")
    run_id = warehouse.start_run("bench", "receipt@1", RECIPE, "synthetic")
    landing = _land(warehouse, home / "plain.duckdb", run_id, options)
    warehouse.finish_run(run_id, "finished", {})
    done_s, done = _timed(lambda: warehouse.done(RECIPE))
    assert len(done) == options.documents
    views = {view: round(_timed(partial(warehouse.query, f"FROM {view}"))[0], 3) for view in VIEWS}
    return {
        "documents": options.documents,
        "attempts": options.documents * options.attempts,
        "landing": landing,
        "database_mb": round(warehouse.database.stat().st_size / 1e6),
        "done_s": round(done_s, 3),
        "views_s": views,
    }


def _land(warehouse: Warehouse, plain: Path, run_id: str, options: argparse.Namespace) -> dict[str, Any]:
    """Land shard by shard, and insert the same rows into a bare database beside it."""
    spent = {"landing": 0.0, "insert": 0.0}
    memory: list[int] = []
    rows = 0
    _bare(warehouse, plain)
    for shard_id, tables in _shards(run_id, options):
        rows += sum(table.num_rows for table in tables.values())
        _stage(warehouse.staging / shard_id, tables)
        seconds, landed = _timed(warehouse.land)
        assert landed.extractions == tables["extractions"].num_rows
        spent["landing"] += seconds
        spent["insert"] += _timed(partial(_insert, plain, tables))[0]
        memory.append(_resident_mb())
    return {
        "rows": rows,
        "rows_a_second": round(rows / spent["landing"]),
        "bare_insert_rows_a_second": round(rows / spent["insert"]),
        "share_of_bare_insert": round(spent["insert"] / spent["landing"], 3),
        "peak_memory_mb_by_quarter": [int(part.max()) for part in np.array_split(memory, 4) if len(part)],
    }


def _shards(run_id: str, options: argparse.Namespace) -> Iterator[tuple[str, dict[str, pa.Table]]]:
    random = np.random.default_rng(7)
    for start in range(0, options.documents, options.shard):
        size = min(options.shard, options.documents - start)
        yield f"s{start:09}", shard_tables(random, run_id, RECIPE, start, size, options.attempts)


def _stage(folder: Path, tables: dict[str, pa.Table]) -> None:
    folder.mkdir(parents=True)
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet", compression="zstd")


def _bare(warehouse: Warehouse, plain: Path) -> None:
    """A database with the same tables and nothing else."""
    tables = {name: f"{name} AS FROM theirs.{name}" for name in TABLES}
    with duckdb.connect(str(plain)) as connection:
        connection.execute(f"ATTACH '{warehouse.database}' AS theirs (READ_ONLY)")
        for name, made in tables.items():
            connection.execute(f"CREATE TABLE {made} WITH NO DATA")
            if name == "extractions":
                connection.execute("ALTER TABLE extractions ALTER is_current SET DEFAULT true")


def _insert(plain: Path, tables: dict[str, pa.Table]) -> None:
    with opened(plain) as connection, transaction(connection):
        for name, table in tables.items():
            connection.register("given", table)
            connection.execute(f"INSERT INTO {name} BY NAME FROM given")
            connection.unregister("given")


def _timed(action: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = action()
    return time.perf_counter() - start, found


def _resident_mb() -> int:
    """The peak resident memory of this process so far, in megabytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (1024 * 1024 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    main()

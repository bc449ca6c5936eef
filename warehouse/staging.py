"""A shard's rows as Parquet, in one folder that is there whole or not at all.

`warehouse.shards` says where it stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import WarehouseError
from schemas.records import Category, Document, Extraction, Outcome, Status
from warehouse.files import flush, writing
from warehouse.rows import Row, Sighting, shard_rows
from warehouse.shards import beside, is_name, settle
from warehouse.tables import TABLES


def stage(
    folder: Path,
    shard_id: str,
    run_id: str,
    documents: Iterable[Document],
    extractions: Iterable[Extraction],
    sightings: Iterable[Sighting] = (),
) -> Path:
    """Write one shard and move it into place; the folder it now stands in. One that waits already stays.

    Raises WarehouseError for a full disk or a shard name that is no plain word.
    """
    if not is_name(shard_id):
        raise WarehouseError(f"{shard_id!r} is no name for a shard: at most 128 letters, digits, - and _.")
    rows = shard_rows(run_id, documents, extractions, sightings)
    tables = {name: _table(name, rows[name], run_id) for name in TABLES}
    with writing(folder):
        return _write(folder, shard_id, tables)


def read_shard(path: Path) -> dict[str, pa.Table]:
    """All tables of one shard. Raises WarehouseError where one is missing or damaged."""
    try:
        return {name: _read(path / f"{name}.parquet", schema) for name, schema in TABLES.items()}
    except (OSError, pa.ArrowException, KeyError) as error:
        raise WarehouseError(f"the staged shard {path} is damaged: {error}") from error


def outcomes(path: Path) -> list[Outcome]:
    """How the documents of one staged shard ended. Raises WarehouseError where it is damaged."""
    tables = read_shard(path)
    tokens: Counter[str] = Counter()
    for attempt in tables["attempts"].select(["document_id", "output_tokens"]).to_pylist():
        tokens[attempt["document_id"]] += attempt["output_tokens"]
    ended = tables["extractions"].select(["document_id", "status", "category"]).to_pylist()
    return [
        Outcome(
            row["document_id"],
            Status(row["status"]),
            Category(row["category"]) if row["category"] else None,
            tokens[row["document_id"]],
        )
        for row in ended
    ]


def shard_run(tables: dict[str, pa.Table]) -> str:
    """The run that staged a shard."""
    return str((tables["extractions"].schema.metadata or {})[b"run_id"].decode())


def _table(name: str, rows: list[Row], run_id: str) -> pa.Table:
    schema = TABLES[name].with_metadata({"run_id": run_id})
    return pa.Table.from_pylist(rows, schema=schema)


def _write(folder: Path, shard_id: str, tables: dict[str, pa.Table]) -> Path:
    place = folder / shard_id
    with beside(place) as aside:
        for name, table in tables.items():
            pq.write_table(table, aside / f"{name}.parquet", compression="zstd")
            flush(aside / f"{name}.parquet")
        settle(aside, place)
    return place


def _read(path: Path, schema: pa.Schema) -> pa.Table:
    # One file, never a data set: a folder's name must not be taken for a partition's.
    with pq.ParquetFile(path) as file:
        return file.read(columns=schema.names)

"""A shard's rows as Parquet, in one folder that is there whole or not at all.

`staging/<shard>/` waits for landing. What is still being written stands under `staging/.<shard>.<pid>.…`.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import WarehouseError
from schemas.records import Document, Extraction
from warehouse.files import flush, writing
from warehouse.processes import is_alive
from warehouse.rows import Row, Sighting, shard_rows
from warehouse.tables import TABLES

_SHARD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_ASIDE = re.compile(r"\..+\.(?P<pid>[0-9]+)\.[0-9a-f]{8}")


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
    if not _SHARD.fullmatch(shard_id):
        raise WarehouseError(f"{shard_id!r} is no name for a shard: at most 128 letters, digits, - and _.")
    rows = shard_rows(run_id, documents, extractions, sightings)
    tables = {name: _table(name, rows[name], run_id) for name in TABLES}
    with writing(folder):
        return _write(folder, shard_id, tables)


def waiting(folder: Path) -> list[Path]:
    """The shards that wait for landing, in the order of their names."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_dir() and _SHARD.fullmatch(path.name))


def read_shard(path: Path) -> dict[str, pa.Table]:
    """All tables of one shard. Raises WarehouseError where one is missing or damaged."""
    try:
        return {name: _read(path / f"{name}.parquet", schema) for name, schema in TABLES.items()}
    except (OSError, pa.ArrowException, KeyError) as error:
        raise WarehouseError(f"the staged shard {path} is damaged: {error}") from error


def shard_run(tables: dict[str, pa.Table]) -> str:
    """The run that staged a shard."""
    return str((tables["extractions"].schema.metadata or {})[b"run_id"].decode())


def sweep(folder: Path) -> None:
    """Remove what processes that are gone left half written."""
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        named = _ASIDE.fullmatch(path.name)
        if named and not is_alive(int(named["pid"])):
            shutil.rmtree(path, ignore_errors=True)


def _table(name: str, rows: list[Row], run_id: str) -> pa.Table:
    schema = TABLES[name].with_metadata({"run_id": run_id})
    return pa.Table.from_pylist(rows, schema=schema)


def _write(folder: Path, shard_id: str, tables: dict[str, pa.Table]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / shard_id
    aside = folder / f".{shard_id}.{os.getpid()}.{uuid4().hex[:8]}"
    try:
        aside.mkdir()
        for name, table in tables.items():
            pq.write_table(table, aside / f"{name}.parquet", compression="zstd")
            flush(aside / f"{name}.parquet")
        flush(aside)
        if not place.exists():
            aside.rename(place)
        flush(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return place


def _read(path: Path, schema: pa.Schema) -> pa.Table:
    # One file, never a data set: a folder's name must not be taken for a partition's.
    with pq.ParquetFile(path) as file:
        return file.read(columns=schema.names)

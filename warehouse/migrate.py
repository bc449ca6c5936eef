"""Brings a database to the shape that this version of the code knows.

Migrations are numbered SQL files, append only; each runs in one transaction with its own record. Views are
no data: they are replaced, in the same transaction, whenever their text has changed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

from schemas.errors import WarehouseError
from warehouse.connection import WAIT_S, opened, transaction
from warehouse.refresh import refresh, template
from warehouse.rows import now
from warehouse.said import said
from warehouse.snapshot import snapshot

_HERE = Path(__file__).parent
_RECORDS = """
CREATE TABLE IF NOT EXISTS migrations (
    number INTEGER PRIMARY KEY, name VARCHAR NOT NULL, sha256 VARCHAR NOT NULL,
    applied_at TIMESTAMP NOT NULL);
CREATE TABLE IF NOT EXISTS view_texts (only_row BOOLEAN PRIMARY KEY, sha256 VARCHAR NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered step. `sha256` is of its text: a step that was applied never changes."""

    number: int
    name: str
    sql: str
    sha256: str


@cache
def shipped(folder: Path = _HERE / "migrations") -> tuple[Migration, ...]:
    """All migrations of this version of the code, in order."""
    return tuple(_load(path) for path in sorted(folder.glob("*.sql")))


def _load(path: Path) -> Migration:
    sql = path.read_text(encoding="utf-8")
    number, _, _ = path.stem.partition("_")
    return Migration(int(number), path.stem, sql, hashlib.sha256(sql.encode()).hexdigest())


@cache
def _views() -> tuple[str, str]:
    """The SQL of our views, in the order of their file names, and the SHA-256 of it and of the typed ones."""
    paths = sorted((_HERE / "views").glob("*.sql"))
    sql = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    return sql, hashlib.sha256(f"{sql}\n{template()}".encode()).hexdigest()


def is_current(connection: duckdb.DuckDBPyConnection, known: tuple[Migration, ...] | None = None) -> bool:
    """Whether nothing is left to do. Raises WarehouseError for a database that is newer than the code."""
    known = shipped() if known is None else known
    applied = _applied(connection)
    _refuse_foreign(connection, applied, known)
    return len(applied) == len(known) and _view_text(connection) == _views()[1]


def migrate(path: Path, *, wait_s: float = WAIT_S, known: tuple[Migration, ...] | None = None) -> None:
    """Create the database, or upgrade it after a copy of the file was put beside it.

    Raises WarehouseError for a newer or a foreign database, WarehouseLocked as `opened` does.
    """
    if "?" in str(path):  # DuckDB takes what follows for settings, and puts its log into another folder
        raise WarehouseError(f"{path} has a question mark in its name, which DuckDB cannot hold. Rename it.")
    known = shipped() if known is None else known
    path.parent.mkdir(parents=True, exist_ok=True)
    _back_up(path, wait_s, known)
    with opened(path, wait_s=wait_s) as connection:
        if is_current(connection, known):
            return
        with transaction(connection):
            connection.execute(_RECORDS)
        for migration in known[len(_applied(connection)) :]:
            _apply(connection, migration)
        with transaction(connection):
            _replace_views(connection)


def _apply(connection: duckdb.DuckDBPyConnection, migration: Migration) -> None:
    row = [migration.number, migration.name, migration.sha256, now()]
    try:
        with transaction(connection):
            connection.execute(migration.sql)
            connection.execute("INSERT INTO migrations VALUES (?, ?, ?, ?)", row)
    except duckdb.Error as error:
        raise WarehouseError(f"migration {migration.name} failed and left no trace: {said(error)}") from error


def _replace_views(connection: duckdb.DuckDBPyConnection) -> None:
    sql, sha256 = _views()
    connection.execute(sql)
    refresh(connection)
    connection.execute("INSERT OR REPLACE INTO view_texts VALUES (true, ?)", [sha256])


def _back_up(path: Path, wait_s: float, known: tuple[Migration, ...]) -> None:
    """Copy an older database before its tables change."""
    if not path.exists():
        return
    with opened(path, wait_s=wait_s) as connection:
        applied = _applied(connection)
        _refuse_foreign(connection, applied, known)
        if not applied or len(applied) == len(known):
            return
    snapshot(path, path.with_name(f"{path.name}.before-{known[len(applied)].name}"), wait_s=wait_s)


def _applied(connection: duckdb.DuckDBPyConnection) -> list[tuple[int, str, str]]:
    return _rows(connection, "SELECT number, name, sha256 FROM migrations ORDER BY number")


def _view_text(connection: duckdb.DuckDBPyConnection) -> str | None:
    rows = _rows(connection, "SELECT sha256 FROM view_texts")
    return str(rows[0][0]) if rows else None


def _rows(connection: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    """The rows, none where there is no such table: to look that up first takes ten times as long."""
    try:
        return connection.execute(sql).fetchall()
    except duckdb.CatalogException:
        return []


def _refuse_foreign(
    connection: duckdb.DuckDBPyConnection, applied: list[tuple[int, str, str]], known: tuple[Migration, ...]
) -> None:
    if len(applied) > len(known):
        raise WarehouseError(
            f"this database is newer than this version of Assay: it has migration {applied[-1][1]}, and this "
            f"version knows up to {known[-1].name}. Upgrade Assay to one that has {applied[-1][1]}."
        )
    for (_, name, sha256), migration in zip(applied, known, strict=False):
        if sha256 != migration.sha256:
            raise WarehouseError(f"migration {name} of this database is not the one that this version ships.")
    if not applied and _is_foreign(connection):
        raise WarehouseError("this database has tables, but none of Assay's: it belongs to something else.")


def _is_foreign(connection: duckdb.DuckDBPyConnection) -> bool:
    sql = "SELECT count(*), count(*) FILTER (table_name = 'migrations') FROM duckdb_tables()"
    ((tables, ours),) = connection.execute(sql).fetchall()
    return bool(tables and not ours)

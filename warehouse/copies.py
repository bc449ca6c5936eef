"""The copies that were made of the warehouse's content, so that a purge can name them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import duckdb


@dataclass(frozen=True, slots=True)
class Copy:
    """A snapshot or an export. `made_at` is when it was last written, UTC."""

    path: Path
    kind: str
    made_at: datetime


def add(connection: duckdb.DuckDBPyConnection, *, path: str, kind: str, made_at: datetime | str) -> None:
    """Record a copy; one made again at the same place replaces the record. Call in a transaction."""
    connection.execute("DELETE FROM copies WHERE path = ?", [path])
    connection.execute("INSERT INTO copies VALUES (?, ?, ?::TIMESTAMP)", [path, kind, made_at])


def existing(connection: duckdb.DuckDBPyConnection) -> list[Copy]:
    """The recorded copies that are still where they were put, the newest first."""
    rows = connection.execute("SELECT path, kind, made_at FROM copies ORDER BY made_at DESC").fetchall()
    return [Copy(Path(path), kind, made_at) for path, kind, made_at in rows if Path(path).exists()]

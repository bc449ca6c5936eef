"""Typed tables that landing keeps: `typed.receipt_v1` beside the JSON, for queries over very many answers.

JSON stays the record. A typed table holds what the typed view would give, made by the same SQL, and the view
then reads from it. It is made from all that was landed before; each landing adds to it in its transaction.
"""

from __future__ import annotations

from collections.abc import Mapping

import duckdb

from warehouse.rows import now
from warehouse.typed import (
    SchemaVersion,
    answers,
    identifier,
    kept_view,
    shape_of,
    versioned_view,
    view_name,
)

_KNOWN = "SELECT schema, shape FROM materialised ORDER BY schema"


def shapes(connection: duckdb.DuckDBPyConnection) -> Mapping[str, str]:
    """The schema versions whose table is kept, each with the shape of its answers."""
    return dict(connection.execute(_KNOWN).fetchall())


def is_kept(connection: duckdb.DuckDBPyConnection, version: SchemaVersion) -> bool:
    """Whether the version's table is kept, in the shape that the version has now."""
    sql = "SELECT fingerprint FROM materialised WHERE schema = ?"
    return connection.execute(sql, [version.ref]).fetchall() == [(version.fingerprint,)]


def keep(connection: duckdb.DuckDBPyConnection, version: SchemaVersion) -> None:
    """Make a version's table from what was landed, and keep it from now on; call within a transaction."""
    drop(connection, version)
    shape = shape_of(version)
    connection.execute(f"CREATE TABLE {table(version.ref)} AS {answers(version.ref, shape, 'outcomes')}")
    row = [version.ref, version.fingerprint, shape, now()]
    connection.execute("INSERT INTO materialised VALUES (?, ?, ?, ?)", row)
    connection.execute(kept_view(version.ref, table(version.ref)))


def drop(connection: duckdb.DuckDBPyConnection, version: SchemaVersion) -> None:
    """Let the version's view read the JSON again; call within a transaction."""
    connection.execute(versioned_view(version))
    connection.execute(f"DROP TABLE IF EXISTS {table(version.ref)}")
    connection.execute("DELETE FROM materialised WHERE schema = ?", [version.ref])


def add(connection: duckdb.DuckDBPyConnection, source: str) -> None:
    """Add the answers that stand in `source`, which has the columns of `extractions`."""
    for ref, shape in shapes(connection).items():
        connection.execute(f"INSERT INTO {table(ref)} BY NAME {answers(ref, shape, source)}")


def renew(connection: duckdb.DuckDBPyConnection, ref: str, run_id: str, document_id: str) -> None:
    """Keep one answer as it stands after a review; call within the review's transaction."""
    shape = shapes(connection).get(ref)
    if shape is None:
        return
    one, condition = [run_id, document_id], "WHERE run_id = ? AND document_id = ?"
    connection.execute(f"DELETE FROM {table(ref)} {condition}", one)
    now_so = answers(ref, shape, f"(FROM outcomes {condition})")
    connection.execute(f"INSERT INTO {table(ref)} BY NAME {now_so}", one)


def tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The names of all tables that are kept, as SQL."""
    return [table(ref) for ref in shapes(connection)]


def table(ref: str) -> str:
    """The SQL name of a version's table: `typed."receipt_v1"`."""
    return f"typed.{identifier(view_name(ref))}"

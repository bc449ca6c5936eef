"""The database written anew without some documents: nothing of them stays in its free blocks or its log.

DuckDB frees the blocks of deleted rows and leaves what stood in them. So all that stays is copied to a new
file, which then takes the old one's place.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

import duckdb

from schemas.errors import WarehouseError
from warehouse.connection import WAIT_S, opened
from warehouse.files import flush, writing
from warehouse.processes import is_alive
from warehouse.said import said
from warehouse.snapshot import log_of
from warehouse.typed import identifier, literal

# Columns of rows that are of no one document, where its name may stand.
_NAMING = {"runs": ("source",), "evaluation_orders": ("unlabelled", "undocumented", "unusable")}
# Sentences with a name in them: `line 3 (ticket.txt): /total: …`
_SENTENCES = ("unusable",)
_PURGED = "(purged)"
_TABLES = """
SELECT tables.schema_name, tables.table_name,
    list(columns.column_name ORDER BY columns.column_index) AS columns,
    list(columns.data_type ORDER BY columns.column_index) AS types
FROM duckdb_tables() AS tables JOIN duckdb_columns() AS columns USING (database_name, table_oid)
WHERE tables.database_name = current_database() AND NOT tables.internal AND NOT tables.temporary
GROUP BY ALL ORDER BY ALL
"""
# A run keeps how many of its outcomes went: its documents in stay its documents out (`warehouse.metrics`).
_COUNT_PURGED = """
UPDATE anew.runs SET counts = json_merge_patch(
    coalesce(counts, '{}'), json_object('purged', coalesce((counts ->> 'purged')::BIGINT, 0) + gone.outcomes))
FROM (SELECT run_id, count(*) AS outcomes FROM extractions SEMI JOIN doomed USING (document_id) GROUP BY ALL)
    AS gone
WHERE runs.run_id = gone.run_id
"""


@contextmanager
def rewritten(
    database: Path, document_ids: Sequence[str], names: Sequence[str], wait_s: float = WAIT_S
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Write the database anew, without the rows of these documents and without their `names`.

    Gives a connection in which the new one is `anew`; on leaving, it takes the old one's place. Where
    anything fails before that, the old one stays as it was. Raises WarehouseError for a full disk.
    """
    aside = database.with_name(f".{database.name}.{os.getpid()}.{uuid4().hex[:8]}.tmp")
    try:
        with opened(database, wait_s=wait_s) as connection, _translated(database):
            connection.execute("CHECKPOINT")
            connection.execute(f"ATTACH {literal(str(aside))} AS anew")
            _copy(connection, document_ids, names)
            yield connection
            connection.execute("DETACH anew")
            # In place while the old one is held: nobody can write into it between the two.
            with writing(database.parent):
                flush(aside)
                aside.replace(database)
                flush(database.parent)
    finally:
        for left in (aside, log_of(aside)):
            with suppress(FileNotFoundError):
                left.unlink()


def sweep(database: Path) -> None:
    """Remove what dead processes left of copies that they were writing, and what a dead query had spilled."""
    for path in database.parent.glob(f".{database.name}.*.tmp*"):
        parts = path.name.removeprefix(f".{database.name}.").split(".")
        pid = next((part for part in parts if part.isdecimal()), None)
        if pid is None or not is_alive(int(pid)):
            path.unlink(missing_ok=True)
    spilled = database.with_name(f"{database.name}.tmp")
    for path in spilled.glob("*") if spilled.is_dir() else ():
        path.unlink(missing_ok=True)


def _copy(connection: duckdb.DuckDBPyConnection, document_ids: Sequence[str], names: Sequence[str]) -> None:
    (row,) = connection.execute("SELECT current_database()").fetchall()
    connection.execute(f"COPY FROM DATABASE {identifier(row[0])} TO anew (SCHEMA)")
    ids: dict[str, object] = {"ids": list(document_ids)}
    given: dict[str, object] = {"names": [*names, *document_ids]}
    connection.execute("CREATE TEMP TABLE doomed AS SELECT unnest($ids::VARCHAR[]) AS document_id", ids)
    connection.execute("CREATE TEMP TABLE called AS SELECT $names::VARCHAR[] AS doomed_names", given)
    for schema, table, columns, types in connection.execute(_TABLES).fetchall():
        place = f"{identifier(schema)}.{identifier(table)}"
        kept = ", ".join(_kept(table, *column) for column in zip(columns, types, strict=True))
        rows = f"{place} ANTI JOIN doomed USING (document_id)" if "document_id" in columns else place
        connection.execute(f"INSERT INTO anew.{place} SELECT {kept} FROM {rows} CROSS JOIN called")
    connection.execute(_COUNT_PURGED)


def _kept(table: str, column: str, kind: str) -> str:
    """What stays of a column: all of it, unless names of documents may stand there."""
    quoted = identifier(column)
    if column not in _NAMING.get(table, ()):
        return quoted
    if kind == "VARCHAR[]":
        named = _is_told("one") if column in _SENTENCES else _is_named("one")
        return f"list_filter({quoted}, lambda one: NOT {named}) AS {quoted}"
    return f"CASE WHEN {_is_named(quoted)} THEN '{_PURGED}' ELSE {quoted} END AS {quoted}"


def _is_named(value: str) -> str:
    """SQL: whether a value names a doomed document, by its whole address or by its last part."""
    return f"(list_contains(doomed_names, {value}) OR list_contains(doomed_names, parse_filename({value})))"


def _is_told(sentence: str) -> str:
    """SQL: whether a sentence names a doomed document; a very short name only where it stands alone."""
    held = f"length(name) > 3 AND contains({sentence}, name) OR contains({sentence}, '(' || name || ')')"
    return f"coalesce(list_bool_or(list_transform(doomed_names, lambda name: {held})), false)"


@contextmanager
def _translated(database: Path) -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        raise WarehouseError(
            f"{database} was left as it was: it could not be written anew: {said(error)}"
        ) from error

"""What an upgrade writes anew in a database: typed views in the text that this version of the code has.

A view of an older version may read what that version kept. Its SQL holds the shape of its answers, which
registrations record now, so that neither the class of the schema version nor its file is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import duckdb

from warehouse import current, materialised
from warehouse.typed import answers, typed_view, view_name

_SHAPE = re.compile(r"json_transform\(\"?value\"?, '((?:[^']|'')*)'\)")
_KNOWN = """
SELECT schema, arg_max(shape, registered_at)::VARCHAR FROM schema_versions GROUP BY schema ORDER BY schema
"""
_REVIEWED = "SELECT DISTINCT schema, run_id, document_id FROM reviews ORDER BY ALL"


def template() -> str:
    """The text of a typed view: where it changes, all of them are written anew."""
    return answers("name@1", "{}", "outcomes")


def refresh(connection: duckdb.DuckDBPyConnection) -> None:
    """Write all typed views anew, and what people decided into typed tables and into what is current.

    Call within a transaction, when the tables and our own views are up to date.
    """
    kept = materialised.shapes(connection)
    for ref, shape in list(_shapes(connection)):
        if ref not in kept:
            connection.execute(typed_view(ref, shape))
    for ref, run_id, document_id in connection.execute(_REVIEWED).fetchall():
        materialised.renew(connection, ref, run_id, document_id)
    current.choose(connection, "SELECT document_id FROM reviews")


def _shapes(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, str]]:
    """Each registered version with the shape of its answers, as recorded or as its view has it."""
    for ref, shape in connection.execute(_KNOWN).fetchall():
        found = shape or _shape_in_view(connection, ref)
        if found is not None:
            yield ref, found


def _shape_in_view(connection: duckdb.DuckDBPyConnection, ref: str) -> str | None:
    sql = "SELECT sql FROM duckdb_views() WHERE view_name = $name AND schema_name = 'main'"
    rows = connection.execute(sql, {"name": view_name(ref)}).fetchall()
    found = _SHAPE.search(rows[0][0]) if rows else None
    return found[1].replace("''", "'") if found else None

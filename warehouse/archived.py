"""Which archived documents a person means: by run, date, status, and a condition in SQL.

The condition is parsed as one expression, over the columns of a document and of its outcome, in a connection
that can neither write nor touch a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import duckdb

from schemas.errors import UsageError
from schemas.records import Blob, Status
from warehouse.rows import utc
from warehouse.said import said

# A document's outcome, as it stands after a review: that of the run which is asked for, else what is current
# under the newest version of the schema that it has one for. A blob that could not be read (`none`) has no
# bytes in the archive.
_CANDIDATES = """
WITH meant AS (
    SELECT document_id, run_id, recipe_id, schema, status, level, category, message, value,
        attempts, finished_at
    FROM outcomes
    WHERE CASE WHEN $run IS NULL THEN is_current AND starts_with(schema, $name || '@') ELSE run_id = $run END
    QUALIFY row_number() OVER (
        PARTITION BY document_id ORDER BY split_part(schema, '@', 2)::INTEGER DESC, run_id DESC) = 1
)
SELECT documents.document_id, documents.parent_id, documents.uri, documents.media_type, documents.bytes,
    documents.text, documents.reader, documents.first_seen_at, meant.* EXCLUDE (document_id)
FROM documents LEFT JOIN meant USING (document_id)
WHERE documents.reader <> 'none' AND ($run IS NULL OR meant.run_id IS NOT NULL)
    AND ($since::TIMESTAMP IS NULL OR documents.first_seen_at >= $since::TIMESTAMP)
    AND (len($statuses::VARCHAR[]) = 0 OR list_contains($statuses::VARCHAR[], meant.status))
"""


@dataclass(frozen=True, slots=True)
class Selection:
    """Documents by the outcome that they have under the schema `name`, or in `run`; all where nothing is set.

    `since` is when a document was first seen. `where` is an SQL condition over document and outcome.
    """

    name: str
    run: str | None = None
    since: datetime | None = None
    statuses: frozenset[Status] = frozenset()
    where: str | None = None


@dataclass(frozen=True, slots=True)
class Archived:
    """One archived document: how it is named, how large, and what else was attached to it."""

    document_id: str
    uri: str
    size: int

    @property
    def blob(self) -> Blob:
        """The document as a plan lists it."""
        return Blob(self.uri, self.size)


def select(connection: duckdb.DuckDBPyConnection, selection: Selection) -> list[Archived]:
    """The documents that are meant, a mail before what is attached to it. Raises UsageError for `where`."""
    found = candidates = connection.sql(_CANDIDATES, params=_parameters(selection))
    try:
        if selection.where is not None:
            found = found.filter(selection.where)
        rows = found.project("document_id, uri, bytes").order("uri, document_id").fetchall()
    except duckdb.Error as error:
        if selection.where is None:
            raise
        told = f"--where {selection.where}: {said(error)}"
        raise UsageError(f"{told}; a condition is over {', '.join(candidates.columns)}") from error
    return [Archived(*row) for row in rows]


def attached(connection: duckdb.DuckDBPyConnection, document_id: str) -> frozenset[str]:
    """The documents that are known to be attached to one, at any depth."""
    sql = """
    WITH RECURSIVE family AS (
        SELECT document_id FROM documents WHERE parent_id = $document
        UNION
        SELECT documents.document_id FROM documents JOIN family ON documents.parent_id = family.document_id)
    FROM family"""
    return frozenset(row[0] for row in connection.execute(sql, {"document": document_id}).fetchall())


def _parameters(selection: Selection) -> dict[str, object]:
    return {
        "name": selection.name,
        "run": selection.run,
        "since": utc(selection.since),
        "statuses": sorted(str(status) for status in selection.statuses),
    }

"""What is known already, so that it is neither read nor generated again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import duckdb

from schemas.records import Blob, Category, Document, Status
from warehouse.rows import storable, utc

# A document that cannot be read or does not fit will not do better under the same recipe, whose readers and
# limits are the same; one that failed at the engine may, and is never done. An evaluation only measures. An
# outcome is taken as it stands after a review: what a person put right is done.
_DONE = """
SELECT document_id FROM (
    SELECT document_id, arg_max(status, run_id) AS status
    FROM outcomes
    WHERE recipe_id = $recipe AND (status <> 'failed' OR level IN ('read', 'fit'))
        AND run_id NOT IN (SELECT run_id FROM runs WHERE kind = 'evaluate')
    GROUP BY document_id)
WHERE NOT list_contains($retry, status)
"""
_KNOWN = """
WITH listed AS (
    SELECT unnest($uris::VARCHAR[]) AS uri, unnest($sizes::BIGINT[]) AS size,
        unnest($times::TIMESTAMP[]) AS modified)
SELECT uri, list(document_id) FROM sightings JOIN listed USING (uri, size, modified) GROUP BY uri
"""
_COLUMNS = """document_id, uri, media_type, bytes, text, page_starts, reader, first_seen_at, parent_id,
    category, message"""


def done(connection: duckdb.DuckDBPyConnection, recipe_id: str, retry: Iterable[Status] = ()) -> set[str]:
    """The documents that need nothing more under a recipe. Those whose last status is in `retry` do."""
    parameters = {"recipe": recipe_id, "retry": sorted(str(status) for status in retry)}
    return {document_id for (document_id,) in connection.execute(_DONE, parameters).fetchall()}


def known(connection: duckdb.DuckDBPyConnection, blobs: Iterable[Blob]) -> dict[str, frozenset[str]]:
    """For each blob that is as it was when last seen: the documents in it, attachments too.

    One whose listing gives no time of change is never known: its bytes have to be looked at.
    """
    # Plain lists and not Arrow: making an Arrow array loads pandas, which takes longer than the question.
    seen = list(blobs)
    parameters = {
        "uris": [storable(blob.uri) for blob in seen],
        "sizes": [blob.size for blob in seen],
        "times": [utc(blob.modified) for blob in seen],
    }
    rows = connection.execute(_KNOWN, parameters).fetchall()
    return {uri: frozenset(document_ids) for uri, document_ids in rows}


def documents(connection: duckdb.DuckDBPyConnection, document_ids: Iterable[str]) -> list[Document]:
    """The documents of these ids, with their text, in the order of their ids. Unknown ids are left out."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM documents WHERE document_id IN (SELECT unnest($ids)) ORDER BY 1",
        {"ids": list(document_ids)},
    ).fetchall()
    return [_document(row) for row in rows]


def _document(row: tuple[Any, ...]) -> Document:
    document_id, uri, media_type, size, text, starts, reader, seen, parent_id, category, message = row
    return Document(
        document_id=document_id,
        uri=uri,
        media_type=media_type,
        size=size,
        text=text,
        page_starts=tuple(starts),
        reader=reader,
        first_seen_at=_with_zone(seen),
        parent_id=parent_id,
        category=Category(category) if category else None,
        message=message,
    )


def _with_zone(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC)

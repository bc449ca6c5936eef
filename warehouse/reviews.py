"""What people decided at the review desk, and the documents that they looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import duckdb

from schemas.errors import ReviewConflict, UsageError
from warehouse import materialised
from warehouse.evaluations import add_labels

if TYPE_CHECKING:
    from warehouse.asking import Questions
    from warehouse.evaluations import LabelRow

_VERSION = """
SELECT arg_max({id: review_id, who: who}, review_id) FROM reviews WHERE run_id = ? AND document_id = ?
"""
_IS_THERE = "SELECT 1 FROM extractions WHERE run_id = ? AND document_id = ?"
_ORIGINAL = """
SELECT document_id, parent_id, uri, media_type, bytes, text, page_starts
FROM documents WHERE document_id IN (
    SELECT document_id FROM extractions WHERE run_id = $run AND document_id = $document)
"""
_EXTRACTED = """
SELECT document_id, run_id, status FROM outcomes WHERE list_contains($documents::VARCHAR[], document_id)
QUALIFY row_number() OVER (PARTITION BY document_id ORDER BY run_id = $run DESC, run_id DESC) = 1
"""


@dataclass(frozen=True, slots=True)
class Review:
    """One decision on an extraction, and the whole answer (JSON text) as it stands after it.

    `wrong` is the field of each error that stands then.
    """

    review_id: str
    run_id: str
    document_id: str
    schema: str
    decision: str
    pointer: str
    status: str
    level: str | None
    category: str | None
    value: str
    who: str
    reviewed_at: datetime
    wrong: tuple[str, ...] = ()


def decide(
    connection: duckdb.DuckDBPyConnection, review: Review, labels: Sequence[LabelRow], seen: str
) -> None:
    """Record a decision and its labels; call within a transaction.

    `seen` is the review_id of the newest decision that the person saw, empty for none. Raises ReviewConflict
    where somebody else decided since, UsageError where the extraction is gone: a purge may have come between.
    """
    if not connection.execute(_IS_THERE, [review.run_id, review.document_id]).fetchall():
        raise UsageError("there is no such extraction any more")
    (newest,) = connection.execute(_VERSION, [review.run_id, review.document_id]).fetchall()[0]
    if (newest["id"] if newest else "") != seen:
        raise ReviewConflict(f"{newest['who'] if newest else 'nobody'} decided on this document meanwhile")
    names = list(asdict(review))
    places = ", ".join(f"${name}" for name in names)
    given = {**asdict(review), "wrong": list(review.wrong)}
    connection.execute(f"INSERT INTO reviews ({', '.join(names)}) VALUES ({places})", given)
    materialised.renew(connection, review.schema, review.run_id, review.document_id)
    add_labels(connection, labels)


def original(ask: Questions, run_id: str, document_id: str) -> dict[str, Any]:
    """The document of an extraction, as it was read. Raises UsageError where there is no such extraction."""
    rows = ask.rows(_ORIGINAL, {"run": run_id, "document": document_id})
    if not rows:
        raise UsageError("there is no such extraction")
    return rows[0]


def extracted(ask: Questions, run_id: str, document_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The `run_id` and `status` of what each document gave: in that run, else in the newest that has it."""
    rows = ask.rows(_EXTRACTED, {"run": run_id, "documents": list(document_ids)})
    return {row["document_id"]: row for row in rows}

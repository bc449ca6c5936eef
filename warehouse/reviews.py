"""The review desk's tables: what waits for a person, and what people decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import duckdb

from schemas.errors import ReviewConflict, UsageError
from schemas.records import Category, Level
from warehouse import materialised
from warehouse.evaluations import add_labels

if TYPE_CHECKING:
    from warehouse.asking import Questions
    from warehouse.evaluations import LabelRow

# Worth most is what would otherwise pass for right, the newest first; what never fitted its schema does not.
# What a person decided on waits as it stands now, also where the checks had accepted it before.
# Errors are counted for the rows of the page only: counting them for all would take longer than all the rest.
# The name of each document is looked up for the rows of the page only, too: names take most of the reading.
_QUEUE = """
WITH looked_at AS MATERIALIZED (
    SELECT extractions.rowid AS place, extractions.run_id, extractions.document_id, extractions.schema,
        decided.status, decided.category, is_current, decided.who AS reviewed_by
    FROM decided JOIN extractions
        ON decided.run_id = extractions.run_id AND decided.document_id = extractions.document_id
),
waiting AS (
    SELECT place, run_id, schema, status, category, NULL::VARCHAR AS reviewed_by
    FROM (SELECT rowid AS place, * FROM extractions) ANTI JOIN looked_at USING (place)
    WHERE status IN ('flagged', 'rejected') AND {conditions}
    UNION ALL
    SELECT place, run_id, schema, status, category, reviewed_by FROM looked_at
    WHERE status IN ('flagged', 'rejected') AND {conditions}
),
picked AS MATERIALIZED (
    SELECT *, list_position($worth, category) AS worth FROM waiting
    ORDER BY worth NULLS LAST, run_id DESC, place LIMIT $most OFFSET $skip
),
named AS MATERIALIZED (
    SELECT picked.*, document_id FROM picked JOIN extractions ON extractions.rowid = place
),
wrong AS (
    SELECT run_id, document_id, count(*) AS errors FROM findings SEMI JOIN named USING (run_id, document_id)
    WHERE severity = 'error' GROUP BY ALL
)
SELECT named.*, (SELECT count(*) FROM waiting) AS waiting,
    if(reviewed_by IS NULL, coalesce(errors, 0), NULL) AS errors, coalesce(uri, document_id) AS uri
FROM named LEFT JOIN wrong USING (run_id, document_id) LEFT JOIN documents USING (document_id)
ORDER BY worth NULLS LAST, run_id DESC, place
"""
# What a filter can name.
_CHOICES = """
SELECT list(DISTINCT schema ORDER BY schema) AS schemas,
    list(DISTINCT category ORDER BY category) AS categories
FROM (SELECT schema, category, status FROM extractions UNION ALL SELECT schema, category, status FROM reviews)
WHERE status IN ('flagged', 'rejected')
"""
_WORTH = [
    str(category)
    for level in (Level.CONSISTENCY, Level.GROUNDING, Level.CORRECTNESS, Level.SCHEMA)
    for category in Category
    if category.level is level
]
_CONDITIONS = {
    "schema": "schema = $schema",
    "category": "category = $category",
    "run": "run_id = $run",
    "field": """(run_id, document_id) IN (
        SELECT (run_id, document_id) FROM findings WHERE field = $field AND severity = 'error')""",
}
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
class Wanted:
    """Which extractions of the queue: None takes all. `skip` and `most` count rows."""

    schema: str | None = None
    category: str | None = None
    field: str | None = None
    run: str | None = None
    most: int = 50
    skip: int = 0


@dataclass(frozen=True, slots=True)
class Review:
    """One decision on an extraction, and the whole answer (JSON text) as it stands after it."""

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


def queue(ask: Questions, wanted: Wanted) -> list[dict[str, Any]]:
    """What waits for a person, the most worthwhile first; `waiting` is how many there are in all.

    `errors` counts those of the run; None where a person changed the answer since.
    With a run it is that run's; without one, what is current.
    """
    given = {name: value for name, value in asdict(wanted).items() if value is not None}
    conditions = [condition for name, condition in _CONDITIONS.items() if name in given]
    if wanted.run is None:
        conditions.append("is_current")
    sql = _QUEUE.format(conditions=" AND ".join(conditions))
    return ask.rows(sql, {**given, "worth": _WORTH})


def choices(ask: Questions) -> dict[str, Any]:
    """The `schemas` and `categories` that the queue can be filtered by."""
    return ask.rows(_CHOICES)[0]


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
    connection.execute(f"INSERT INTO reviews ({', '.join(names)}) VALUES ({places})", asdict(review))
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

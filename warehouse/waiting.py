"""What waits for a person at the review desk, in the order in which it is worth most to look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schemas.records import Category, Level
from warehouse.asked import Filter

if TYPE_CHECKING:
    from warehouse.asking import Questions

# Worth most is what would otherwise pass for right, the newest first; what never fitted its schema does not.
# What a person decided on waits as it stands now, also where the checks had accepted it before.
_WAITING = """
looked_at AS MATERIALIZED (
    SELECT extractions.rowid AS place, extractions.run_id, extractions.document_id, extractions.schema,
        decided.status, decided.category, is_current, decided.who AS reviewed_by, decided.wrong
    FROM decided JOIN extractions
        ON decided.run_id = extractions.run_id AND decided.document_id = extractions.document_id
),
waiting AS (
    SELECT place, run_id, schema, status, category, NULL::VARCHAR AS reviewed_by, NULL::VARCHAR[] AS wrong
    FROM (SELECT rowid AS place, * FROM extractions) ANTI JOIN looked_at USING (place)
    WHERE status IN ('flagged', 'rejected') AND {conditions}
    UNION ALL
    SELECT place, run_id, schema, status, category, reviewed_by, wrong FROM looked_at
    WHERE status IN ('flagged', 'rejected') AND {decided_conditions}
)
"""
# Errors are counted for the rows of the page only: counting them for all would take longer than all the rest.
# The name of each document is looked up for the rows of the page only, too: names take most of the reading.
_QUEUE = """
WITH {waiting},
picked AS MATERIALIZED (
    SELECT *, list_position($worth, category) AS worth FROM waiting
    ORDER BY worth NULLS LAST, run_id DESC, place LIMIT $most OFFSET $skip
),
named AS MATERIALIZED (
    SELECT picked.*, document_id FROM picked JOIN extractions ON extractions.rowid = place
),
found AS (
    SELECT run_id, document_id, count(*) AS errors FROM findings SEMI JOIN named USING (run_id, document_id)
    WHERE severity = 'error' GROUP BY ALL
)
SELECT named.*, (SELECT count(*) FROM waiting) AS waiting,
    if(reviewed_by IS NULL, coalesce(errors, 0), len(wrong)) AS errors, coalesce(uri, document_id) AS uri
FROM named LEFT JOIN found USING (run_id, document_id) LEFT JOIN documents USING (document_id)
ORDER BY worth NULLS LAST, run_id DESC, place
"""
# What was decided on meanwhile is gone on from where it stood before.
_FOLLOWING = """
WITH {waiting},
ranked AS (SELECT place, run_id, coalesce(list_position($worth, category), 1000) AS worth FROM waiting),
here AS (
    SELECT extractions.rowid AS place, extractions.run_id,
        coalesce(worth, list_position($worth, category), 1000) AS worth
    FROM extractions LEFT JOIN ranked ON ranked.place = extractions.rowid
    WHERE extractions.run_id = $after_run AND document_id = $after
),
following AS (
    SELECT ranked.* FROM ranked LEFT JOIN here ON true
    WHERE here.place IS NULL OR ranked.worth > here.worth OR ranked.worth = here.worth
        AND (ranked.run_id < here.run_id OR ranked.run_id = here.run_id AND ranked.place > here.place)
    ORDER BY ranked.worth, ranked.run_id DESC, ranked.place LIMIT 1
)
SELECT extractions.run_id, document_id FROM following JOIN extractions ON extractions.rowid = following.place
"""
# What a filter can name.
_CHOICES = """
SELECT list(DISTINCT schema ORDER BY schema) AS schemas,
    list(DISTINCT category ORDER BY category) AS categories,
    (SELECT list(field ORDER BY field) FROM (
        SELECT field FROM findings WHERE severity = 'error' UNION SELECT unnest(wrong) FROM reviews
    ) WHERE field <> '') AS fields
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
# The few that were decided before it was kept what is wrong are looked up one by one.
_DECIDED_CONDITIONS = {
    **_CONDITIONS,
    "field": """(list_contains(wrong, $field) OR wrong IS NULL AND EXISTS (
        FROM findings WHERE field = $field AND severity = 'error'
            AND findings.run_id = looked_at.run_id AND findings.document_id = looked_at.document_id))""",
}


@dataclass(frozen=True, slots=True)
class Wanted(Filter):
    """Which extractions of the queue: None takes all. With a run it is that run's; else what is current."""

    schema: str | None = None
    category: str | None = None
    field: str | None = None
    run: str | None = None


def queue(ask: Questions, wanted: Wanted, most: int = 50, skip: int = 0) -> list[dict[str, Any]]:
    """What waits for a person, `most` rows after `skip`; `waiting` is how many there are in all.

    `errors` counts those that stand now; None where a person decided before that was kept.
    """
    given = {**wanted.given, "worth": _WORTH, "most": most, "skip": skip}
    return ask.rows(_QUEUE.format(waiting=_waiting(wanted)), given)


def following(ask: Questions, wanted: Wanted, run_id: str, document_id: str) -> tuple[str, str] | None:
    """Run and document of what waits after an extraction, the first of all where there is no such one."""
    given = {**wanted.given, "worth": _WORTH, "after_run": run_id, "after": document_id}
    rows = ask.rows(_FOLLOWING.format(waiting=_waiting(wanted)), given)
    return (rows[0]["run_id"], rows[0]["document_id"]) if rows else None


def choices(ask: Questions) -> dict[str, Any]:
    """The `schemas`, `categories` and `fields` that the queue can be filtered by."""
    return ask.rows(_CHOICES)[0]


def _waiting(wanted: Wanted) -> str:
    current = [] if wanted.run else ["is_current"]
    own, decided = (
        " AND ".join([*current, *(conditions[name] for name in wanted.given)] or ["true"])
        for conditions in (_CONDITIONS, _DECIDED_CONDITIONS)
    )
    return _WAITING.format(conditions=own, decided_conditions=decided)

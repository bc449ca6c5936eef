"""The questions behind the review desk's figures, and behind the documents that each figure is of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from warehouse.asked import Asked, Filter

NIGHTS = 12
"""Runs that the categories over time show."""
_ONE_MORE = "LIMIT $most OFFSET $skip"
_NIGHTS = """
WITH nights AS (
    SELECT run_id, started_at, status FROM runs
    WHERE schema = $schema AND kind <> 'evaluate' AND status <> 'running'
    ORDER BY run_id DESC LIMIT $nights)
SELECT nights.run_id, nights.started_at, nights.status AS run_status,
    extractions.status, extractions.category,
    count(extractions.document_id) AS documents
FROM nights LEFT JOIN extractions ON extractions.run_id = nights.run_id
GROUP BY ALL ORDER BY nights.run_id, extractions.status, extractions.category
"""
# Of one run: what it found. Without a run: what is current, with people's decisions.
_OF_RUN, _CURRENT = "extractions", "current"
_CONDITIONS = {
    "run": "run_id = $run",
    "schema": "schema = $schema",
    "status": "status = $status",
    "level": "level = $level",
    "category": "category = $category",
}
_FINDINGS = {
    "field": "findings.field = $field",
    "rule": "findings.rule = $rule",
    "finding_level": "findings.level = $finding_level",
    "finding_category": "findings.category IS NOT DISTINCT FROM nullif($finding_category, '')",
}
_FOUND = """(run_id, document_id) IN (
    SELECT (run_id, document_id) FROM findings WHERE severity = 'error' AND {conditions})"""


@dataclass(frozen=True, slots=True)
class Sought(Filter):
    """Which extractions: None takes all. The last four are about one error among an extraction's findings."""

    run: str | None = None
    schema: str | None = None
    status: str | None = None
    level: str | None = None
    category: str | None = None
    field: str | None = None
    rule: str | None = None
    finding_level: str | None = None
    finding_category: str | None = None


SOUGHT = tuple(one.name for one in fields(Sought))


def runs(schema: str | None, most: int, skip: int) -> Asked:
    """Runs with their figures, the newest first."""
    where = "" if schema is None else "WHERE schema = $schema "
    given: dict[str, Any] = {} if schema is None else {"schema": schema}
    sql = f"FROM run_summary {where}ORDER BY run_id DESC {_ONE_MORE}"
    return Asked(sql, {**given, "most": most, "skip": skip})


def schemas() -> Asked:
    """The schema versions that runs were of, that of the newest run first."""
    return Asked("SELECT schema, count(*) AS runs FROM runs GROUP BY schema ORDER BY max(run_id) DESC")


def nights(schema: str) -> Asked:
    """How many documents of the newest ended runs were of which status and category, oldest run first."""
    return Asked(_NIGHTS, {"schema": schema, "nights": NIGHTS})


def failures() -> Asked:
    """Level and category of what did not succeed, over all that is current."""
    return Asked("FROM failures")


def failures_by_field(schema: str, most: int) -> Asked:
    """Which field of a schema version an error is about, over all that is current."""
    return Asked(
        "FROM failures_by_field WHERE schema = $schema LIMIT $most", {"schema": schema, "most": most}
    )


def count(sought: Sought) -> Asked:
    """How many extractions are sought."""
    return _of(sought, "SELECT count(*) AS documents FROM {table}{where}", {})


def documents(sought: Sought, most: int, skip: int) -> Asked:
    """Which ones, a page of them, in the order of their ids."""
    sql = f"""WITH sought AS (
    SELECT run_id, document_id, schema, status, level, category FROM {{table}}{{where}}
    ORDER BY document_id, run_id {_ONE_MORE})
SELECT sought.*, coalesce(documents.uri, sought.document_id) AS uri
FROM sought LEFT JOIN documents USING (document_id) ORDER BY sought.document_id, run_id"""
    return _of(sought, sql, {"most": most, "skip": skip})


def _of(sought: Sought, sql: str, more: Mapping[str, Any]) -> Asked:
    given = sought.given
    conditions = list(_those(_CONDITIONS, given))
    wrong = list(_those(_FINDINGS, given))
    if wrong:
        conditions.append(_FOUND.format(conditions=" AND ".join(wrong)))
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    table = _CURRENT if sought.run is None else _OF_RUN
    return Asked(sql.format(table=table, where=where), {**given, **more})


def _those(conditions: Mapping[str, str], given: Mapping[str, str]) -> Iterable[str]:
    return (condition for name, condition in conditions.items() if name in given)

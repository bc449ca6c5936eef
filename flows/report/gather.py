"""All that a run's report shows, in one opening of the warehouse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flows.doctor import advice
from schemas.errors import UsageError
from warehouse.asking import Questions
from warehouse.metrics import Metrics
from warehouse.store import Warehouse

# Documents that are told, of each category at first.
WORST, OF_EACH = 30, 5
_RUN = "SELECT * FROM runs WHERE run_id = $run"
_RECIPE = """
SELECT * REPLACE (decoding::VARCHAR AS decoding, model::VARCHAR AS model, versions::VARCHAR AS versions)
FROM recipes WHERE recipe_id = $recipe
"""
_COST = "SELECT * FROM cost WHERE run_id = $run"
_GATE = (
    "SELECT suite, severity, success, message FROM quality_results WHERE run_id = $run ORDER BY suite, number"
)
_SYMPTOMS = "FROM symptoms WHERE applies"
# The worst are those without an answer, then those that are no answer of the schema, then those with the most
# errors; a few of each category come first, so that one that is common does not hide the others.
_WORST = """
WITH bad AS (SELECT * FROM extractions WHERE run_id = $run AND status <> 'accepted'),
wrong AS (
    SELECT document_id, count(*) AS errors, list(DISTINCT message ORDER BY message)[:3] AS told FROM findings
    WHERE run_id = $run AND severity = 'error' GROUP BY document_id
),
ranked AS (
    SELECT document_id, status, category, message, coalesce(errors, 0) AS errors, coalesce(told, []) AS told,
        list_position(['failed', 'rejected', 'flagged'], status) AS place,
        row_number() OVER (PARTITION BY category ORDER BY errors DESC NULLS LAST, document_id) AS nth
    FROM bad LEFT JOIN wrong USING (document_id)
),
picked AS (FROM ranked ORDER BY nth > $each, place, nth, category LIMIT $most)
SELECT picked.*, coalesce(documents.uri, document_id) AS uri
FROM picked LEFT JOIN documents USING (document_id)
ORDER BY nth > $each, place, category, nth
"""


@dataclass(frozen=True, slots=True)
class Night:
    """One run as its report tells it. `symptoms` are the whole warehouse's, None where that took too long."""

    run: Mapping[str, Any]
    recipe: Mapping[str, Any] | None
    metrics: Metrics
    cost: Mapping[str, Any] | None
    gate: list[dict[str, Any]]
    symptoms: list[list[str]] | None
    worst: list[dict[str, Any]]

    @property
    def bad(self) -> int:
        """Documents that were not accepted."""
        values = self.metrics.values
        return round((1 - values.get("accepted_share", 1.0)) * values.get("documents_out", 0.0))


def gather(warehouse: Warehouse, run_id: str, symptoms_s: float | None = None) -> Night:
    """A run that has ended. The symptoms may take `symptoms_s` seconds; None waits for them.

    Raises UsageError for a run that has not ended.
    """
    _refuse_unended(warehouse, run_id)
    metrics = warehouse.figures(run_id)
    with warehouse.asking() as ask:
        run = ask.rows(_RUN, {"run": run_id})[0]
        worst = {"run": run_id, "each": OF_EACH, "most": WORST}
        return Night(
            run,
            _one(ask, _RECIPE, {"recipe": run["recipe_id"]}),
            metrics,
            _one(ask, _COST, {"run": run_id}),
            ask.rows(_GATE, {"run": run_id}),
            _symptoms(ask, symptoms_s),
            ask.rows(_WORST, worst),
        )


def _refuse_unended(warehouse: Warehouse, run_id: str) -> None:
    with warehouse.asking() as ask:
        found = _one(ask, _RUN, {"run": run_id})
    if found is None or found["status"] == "running":
        raise UsageError(f"run {run_id} has not ended, and has no report yet: see `assay runs`")


def _one(ask: Questions, sql: str, parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    return next(iter(ask.rows(sql, parameters)), None)


def _symptoms(ask: Questions, limit_s: float | None) -> list[list[str]] | None:
    found = ask.rows(_SYMPTOMS) if limit_s is None else ask.within(limit_s, _SYMPTOMS)
    return None if found is None else [advice(row) for row in found]

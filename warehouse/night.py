"""The questions behind one run's report."""

from __future__ import annotations

from warehouse.asked import Asked

_RUN = "SELECT * FROM runs WHERE run_id = $run"
_RECIPE = """
SELECT * REPLACE (decoding::VARCHAR AS decoding, model::VARCHAR AS model, versions::VARCHAR AS versions)
FROM recipes WHERE recipe_id = $recipe
"""
_COST = "SELECT * FROM cost WHERE run_id = $run"
_GATE = (
    "SELECT suite, severity, success, message FROM quality_results WHERE run_id = $run ORDER BY suite, number"
)
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


def run(run_id: str) -> Asked:
    """The run itself."""
    return Asked(_RUN, {"run": run_id})


def recipe(recipe_id: str) -> Asked:
    """What its recipe is made of."""
    return Asked(_RECIPE, {"recipe": recipe_id})


def cost(run_id: str) -> Asked:
    """What it took."""
    return Asked(_COST, {"run": run_id})


def gate(run_id: str) -> Asked:
    """What the gate found."""
    return Asked(_GATE, {"run": run_id})


def worst(run_id: str, each: int, most: int) -> Asked:
    """The `most` worst documents as the run ended, the first `each` of every category before others."""
    return Asked(_WORST, {"run": run_id, "each": each, "most": most})

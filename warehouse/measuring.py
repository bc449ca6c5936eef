"""The questions of an evaluation: what runs gave, and what earlier evaluations measured."""

from __future__ import annotations

from collections.abc import Iterable

from warehouse.asked import Asked

# Errors above the schema are counted by level: an answer may break several, and its own level is the first.
_OUTPUTS = """
WITH broken AS (
    SELECT run_id, document_id, count(*) FILTER (level = 'consistency') AS inconsistent,
        count(*) FILTER (level = 'grounding') AS ungrounded,
        list(DISTINCT category ORDER BY category) FILTER (category IS NOT NULL) AS categories,
        list(DISTINCT [level, field]) AS flagged
    FROM findings WHERE severity = 'error' AND run_id IN (SELECT unnest($runs)) GROUP BY ALL
),
spent AS (
    SELECT run_id, document_id, sum(prompt_tokens)::BIGINT AS prompt_tokens,
        sum(output_tokens)::BIGINT AS output_tokens
    FROM attempts WHERE run_id IN (SELECT unnest($runs)) GROUP BY ALL
),
-- Attempts come one after the other, the samples of one attempt at the same time. Waiting for a place in the
-- engine is left out: that is a matter of how many documents are in flight, not of the decoding.
waited AS (
    SELECT run_id, document_id, sum(slowest) AS latency_s FROM (
        SELECT run_id, document_id, number, max(total_s - queued_s) AS slowest
        FROM attempts WHERE run_id IN (SELECT unnest($runs)) GROUP BY ALL)
    GROUP BY ALL
)
SELECT e.run_id, e.document_id, e.status, e.level, e.category, e.value::VARCHAR AS value,
    a.text, a.ending, coalesce(broken.inconsistent, 0) AS inconsistent,
    coalesce(broken.ungrounded, 0) AS ungrounded, coalesce(broken.categories, []) AS categories,
    coalesce(broken.flagged, []) AS flagged,
    coalesce(spent.prompt_tokens, 0) AS prompt_tokens, coalesce(spent.output_tokens, 0) AS output_tokens,
    waited.latency_s
FROM extractions AS e
LEFT JOIN attempts AS a ON (a.run_id, a.document_id, a.attempt_id) = (e.run_id, e.document_id, e.attempt_id)
LEFT JOIN broken ON (broken.run_id, broken.document_id) = (e.run_id, e.document_id)
LEFT JOIN spent ON (spent.run_id, spent.document_id) = (e.run_id, e.document_id)
LEFT JOIN waited ON (waited.run_id, waited.document_id) = (e.run_id, e.document_id)
WHERE e.run_id IN (SELECT unnest($runs)) AND e.document_id IN (SELECT unnest($documents))
"""
_SPANS = """
SELECT run_id, started_at + to_microseconds((queued_s * 1e6)::BIGINT) AS began,
    started_at + to_microseconds((total_s * 1e6)::BIGINT) AS ended
FROM attempts
WHERE run_id IN (SELECT unnest($runs)) AND document_id IN (SELECT unnest($documents))
ORDER BY began
"""
_RUNS = """
SELECT run_id, runs.schema, recipe_id, status, decoding::VARCHAR AS decoding,
    schema_fingerprint, prompt_fingerprint, model::VARCHAR AS model, versions::VARCHAR AS versions
FROM runs JOIN recipes USING (recipe_id) WHERE starts_with(run_id, $given)
"""
_SHARED = """
SELECT document_id, any_value(uri) AS uri, count(DISTINCT run_id) AS runs
FROM extractions JOIN documents USING (document_id)
WHERE run_id IN (SELECT unnest($runs)) GROUP BY document_id ORDER BY uri, document_id
"""
_COSTS = """
SELECT decoding, measure, value, unit FROM evaluations WHERE evaluation_id = $evaluation AND unit <> 'share'
"""
_RECIPES = """
SELECT first.decoding, model::VARCHAR AS model, versions::VARCHAR AS versions, prompt_fingerprint,
    schema_fingerprint, recipes.schema
FROM (SELECT decoding, min(run_id) AS run_id FROM evaluation_runs WHERE evaluation_id = $evaluation
    GROUP BY decoding) AS first JOIN runs USING (run_id) JOIN recipes USING (recipe_id)
"""


def outputs(runs: Iterable[str], documents: Iterable[str]) -> Asked:
    """What each of these runs gave for each of these documents, as it ended, with what it took."""
    return Asked(_OUTPUTS, {"runs": list(runs), "documents": list(documents)})


def spans(runs: Iterable[str], documents: Iterable[str]) -> Asked:
    """When the engine was at work on each attempt: `began` and `ended`, the earliest first."""
    return Asked(_SPANS, {"runs": list(runs), "documents": list(documents)})


def runs_called(given: str) -> Asked:
    """The runs whose ids start with `given`, each with what its recipe is made of."""
    return Asked(_RUNS, {"given": given})


def shared(runs: Iterable[str]) -> Asked:
    """The documents that these runs have an outcome for, and how many of the runs do."""
    return Asked(_SHARED, {"runs": list(runs)})


def order(evaluation_id: str) -> Asked:
    """What an evaluation was asked."""
    return Asked("FROM evaluation_orders WHERE evaluation_id = $evaluation", {"evaluation": evaluation_id})


def inputs(evaluation_id: str) -> Asked:
    """What each input gave in an evaluation."""
    return Asked("FROM evaluation_inputs WHERE evaluation_id = $evaluation", {"evaluation": evaluation_id})


def costs(evaluation_id: str) -> Asked:
    """What an evaluation measured that is no share."""
    return Asked(_COSTS, {"evaluation": evaluation_id})


def recipes(evaluation_id: str) -> Asked:
    """What the recipe of each decoding of an evaluation is made of."""
    return Asked(_RECIPES, {"evaluation": evaluation_id})

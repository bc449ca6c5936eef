"""The questions behind the desk's evaluation pages: what was measured, and on which documents."""

from __future__ import annotations

from warehouse.asked import Asked

_LISTED = """
SELECT orders.evaluation_id, orders.schema, orders.created_at, orders.inputs, orders.samples, orders.labels,
    orders.baseline, list({decoding: rates.decoding, value: rates.value, low: rates.low, high: rates.high,
        judgement: rates.judgement} ORDER BY rates.decoding) FILTER (rates.decoding IS NOT NULL) AS exact
FROM evaluation_orders AS orders LEFT JOIN evaluations AS rates
    ON rates.evaluation_id = orders.evaluation_id AND rates.measure = 'exact' AND rates.field = ''
    AND rates."of" = 'all inputs'
GROUP BY ALL ORDER BY orders.evaluation_id DESC LIMIT 100
"""
_RATES = """
SELECT decoding, measure, field, value, low, high, judgement FROM evaluations
WHERE evaluation_id = $evaluation AND "of" = 'all inputs' AND unit = 'share'
ORDER BY field, measure, decoding
"""
_RATE = """
SELECT sum(value) / sum(weight) AS value FROM evaluation_inputs
WHERE evaluation_id = $evaluation AND decoding = $decoding AND measure = $measure AND field = $field
    AND "of" = 'all inputs'
"""
_INPUTS = """
WITH first_runs AS (
    SELECT run_id FROM evaluation_runs WHERE evaluation_id = $evaluation AND decoding = $decoding
    ORDER BY repeat, sample LIMIT 1)
SELECT inputs.document_id, inputs.value, inputs.weight, (FROM first_runs) AS run_id,
    coalesce(documents.uri, inputs.document_id) AS uri
FROM evaluation_inputs AS inputs LEFT JOIN documents USING (document_id)
WHERE evaluation_id = $evaluation AND decoding = $decoding AND measure = $measure AND field = $field
    AND "of" = 'all inputs'
ORDER BY inputs.value, inputs.document_id LIMIT $most OFFSET $skip
"""


def listed() -> Asked:
    """The evaluations, the newest first, each decoding's share of answers that are wholly right beside it."""
    return Asked(_LISTED)


def order(evaluation: str) -> Asked:
    """What one evaluation was asked."""
    return Asked("FROM evaluation_orders WHERE evaluation_id = $evaluation", {"evaluation": evaluation})


def rates(evaluation: str) -> Asked:
    """Its rates over all inputs, of whole answers (the empty field) and of each field."""
    return Asked(_RATES, {"evaluation": evaluation})


def rate(evaluation: str, decoding: str, measure: str, field: str) -> Asked:
    """One rate, from what each input gave."""
    return Asked(_RATE, _one(evaluation, decoding, measure, field))


def inputs(evaluation: str, decoding: str, measure: str, field: str, most: int, skip: int) -> Asked:
    """The inputs of a rate, the lowest first, each with the first run that measured it."""
    return Asked(_INPUTS, {**_one(evaluation, decoding, measure, field), "most": most, "skip": skip})


def _one(evaluation: str, decoding: str, measure: str, field: str) -> dict[str, str]:
    return {"evaluation": evaluation, "decoding": decoding, "measure": measure, "field": field}

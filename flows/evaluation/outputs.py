"""What runs gave, as the warehouse has it: one output for each document and run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from warehouse.store import Warehouse

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


@dataclass(frozen=True, slots=True)
class Output:
    """One document's outcome in one run. `latency_s` is None where the engine was never asked.

    `flagged` names the fields with an error, by level: ("grounding", "/lines/*/amount").
    """

    run_id: str
    document_id: str
    status: str
    level: str | None
    category: str | None
    value: str | None
    text: str | None
    ending: str | None
    inconsistent: int
    ungrounded: int
    categories: tuple[str, ...]
    flagged: frozenset[tuple[str, str]]
    prompt_tokens: int
    output_tokens: int
    latency_s: float | None

    @property
    def fits(self) -> bool:
        """Whether it is JSON of the schema."""
        return self.status in ("accepted", "flagged")

    @property
    def parses(self) -> bool:
        """Whether it is one JSON object, of whatever shape."""
        return self.fits or self.level == "schema"

    @property
    def finished(self) -> bool:
        """Whether the model ended its answer itself."""
        return self.ending == "stop"

    @property
    def consistent(self) -> bool:
        """Whether it fits, and its values agree with each other."""
        return self.fits and not self.inconsistent

    @property
    def grounded(self) -> bool:
        """Whether it fits, and its values stand in the document."""
        return self.fits and not self.ungrounded


def outputs(warehouse: Warehouse, runs: Sequence[str], documents: Iterable[str]) -> list[Output]:
    """The outputs of these runs for these documents."""
    asked = {"runs": list(runs), "documents": list(documents)}
    rows: list[dict[str, Any]] = warehouse.query(_OUTPUTS, asked).to_pylist()
    return [Output(**{**row, **_gathered(row)}) for row in rows]


def _gathered(row: dict[str, Any]) -> dict[str, Any]:
    flagged = frozenset((level, field) for level, field in row["flagged"])
    return {"categories": tuple(row["categories"]), "flagged": flagged}


def engine_seconds(warehouse: Warehouse, runs: Sequence[str], documents: Iterable[str]) -> dict[str, float]:
    """For each run, how long its requests kept the engine at work: overlapping requests count once."""
    asked = {"runs": list(runs), "documents": list(documents)}
    spans: dict[str, list[tuple[datetime, datetime]]] = {run: [] for run in runs}
    for row in warehouse.query(_SPANS, asked).to_pylist():
        spans[row["run_id"]].append((row["began"], row["ended"]))
    return {run: _covered(found) for run, found in spans.items()}


def _covered(spans: list[tuple[datetime, datetime]]) -> float:
    """Seconds that at least one of the spans, sorted by their beginning, covers."""
    total, reached = 0.0, None
    for began, ended in spans:
        start = began if reached is None else max(began, reached)
        total += max((ended - start).total_seconds(), 0.0)
        reached = ended if reached is None else max(ended, reached)
    return total

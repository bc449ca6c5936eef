"""What runs gave, as the warehouse has it: one output for each document and run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from warehouse import measuring
from warehouse.store import Warehouse


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
    rows = warehouse.answer(measuring.outputs(runs, documents))
    return [Output(**{**row, **_gathered(row)}) for row in rows]


def _gathered(row: dict[str, Any]) -> dict[str, Any]:
    flagged = frozenset((level, field) for level, field in row["flagged"])
    return {"categories": tuple(row["categories"]), "flagged": flagged}


def engine_seconds(warehouse: Warehouse, runs: Sequence[str], documents: Iterable[str]) -> dict[str, float]:
    """For each run, how long its requests kept the engine at work: overlapping requests count once."""
    spans: dict[str, list[tuple[datetime, datetime]]] = {run: [] for run in runs}
    for row in warehouse.answer(measuring.spans(runs, documents)):
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

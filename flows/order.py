"""What a person asks of an extraction, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from schemas.decoding import Scoring
from schemas.errors import EngineError
from schemas.records import Blob, Status


@dataclass(frozen=True, slots=True)
class Order:
    """Extract `source` under `schema`. `retry`: statuses that are done again; `limit` counts blobs.

    `kind` is what the run is recorded as. `again` does all blobs, what is done under the recipe too: the new
    extraction then stands beside the old one. `blobs` are taken instead of a listing of `source`. `purged`
    takes up again what was purged.
    `scoring` None is what is set.
    """

    source: str
    schema: str
    decoding: str | None = None
    limit: int | None = None
    retry: frozenset[Status] = field(default_factory=frozenset)
    kind: str = "extract"
    again: bool = False
    blobs: tuple[Blob, ...] | None = None
    purged: bool = False
    scoring: Scoring | None = None

    @property
    def redone(self) -> frozenset[Status]:
        """The statuses that do not count as done in this run."""
        return frozenset(Status) if self.again else self.retry


@dataclass(frozen=True, slots=True)
class Summary:
    """How a run ended. `skipped` blobs were done before; `engine_failures` got no answer.

    `report` is its page, where one could be written.
    """

    run_id: str | None
    status: str
    listed: int
    skipped: int
    statuses: Mapping[Status, int] = field(default_factory=dict)
    engine_failures: int = 0
    tokens: int = 0
    seconds: float = 0.0
    message: str | None = None
    report: Path | None = None

    @property
    def documents(self) -> int:
        """Documents that have an outcome in this run."""
        return sum(self.statuses.values())

    @property
    def exit_code(self) -> int:
        """0 done; 1 where documents failed for the engine's sake; 3 where the gate failed; 130 stopped."""
        if self.status == "quarantined":
            return 3
        if self.status == "interrupted":
            return 130
        return 0 if self.status == "finished" and not self.engine_failures else 1


class DocumentsFailed(EngineError):
    """Documents got no answer for the engine's sake, which the next run does again; or the gate failed."""

    def __init__(self, summary: Summary) -> None:
        super().__init__(
            summary.message or f"{summary.engine_failures} documents failed for the engine's sake"
        )
        self.summary = summary

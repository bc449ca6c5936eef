"""Ended runs before the gate: their figures, what it found, and quarantine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warehouse import metrics, runs, verdicts
from warehouse.home import Home

if TYPE_CHECKING:
    from warehouse.metrics import Metrics
    from warehouse.quality import Report


class Judging(Home):
    """Which runs count."""

    __slots__ = ()

    def quarantine(self, run_id: str) -> None:
        """Keep an ended run out of `current` and the typed current views, until it is released."""
        self._write(lambda connection: runs.quarantine(connection, run_id))

    def release(self, run_id: str) -> None:
        """Let a run in quarantine count again."""
        self._write(lambda connection: runs.release(connection, run_id))

    def measure(self, run_id: str) -> Metrics:
        """Measure an ended run for the gate, and keep its figures. See `warehouse.metrics`."""
        return self._write(lambda connection: metrics.measure(connection, run_id))

    def figures(self, run_id: str) -> Metrics:
        """What was measured of an ended run, now where it was not. Raises WarehouseError for others."""
        found = self._read(lambda connection: metrics.kept(connection, run_id))
        return found or self.measure(run_id)

    def record_quality(self, run_id: str, report: Report) -> None:
        """Keep what the gate found on a run, and quarantine it where that is bad enough."""
        self._write(lambda connection: verdicts.record(connection, run_id, report))

    def unchecked(self) -> list[str]:
        """The ended runs that no gate has looked at, the oldest first."""
        return self._read(verdicts.unchecked)

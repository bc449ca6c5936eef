"""What a landing did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Landed:
    """What a landing did: `skipped` extractions were there already, `damaged` shards were put aside."""

    shards: int = 0
    extractions: int = 0
    skipped: int = 0
    damaged: tuple[str, ...] = ()

    def plus(self, other: Landed) -> Landed:
        """Both together."""
        return Landed(
            self.shards + other.shards,
            self.extractions + other.extractions,
            self.skipped + other.skipped,
            self.damaged + other.damaged,
        )

"""How a run's documents ended, as one bar in pieces: for the run's report and the desk's list of runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from schemas.records import Status


@dataclass(frozen=True, slots=True)
class Part:
    """One piece: its status, where it begins and how wide it is, in the bar's own units."""

    status: str
    x: float
    width: float


def bar(counts: Mapping[str, int], width: float) -> list[Part]:
    """The pieces that a bar of that width falls into, in the order of statuses; none without documents."""
    total = sum(counts[status] for status in Status)
    parts: list[Part] = []
    x = 0.0
    for status in Status:
        share = width * counts[status] / total if total else 0.0
        if share:
            parts.append(Part(str(status), x, share))
        x += share
    return parts

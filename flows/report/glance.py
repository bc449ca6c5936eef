"""A run's report in a few sentences: what somebody has to know who reads no further."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flows.report.gather import Night
from flows.report.measures import Measure


def glance(night: Night, measures: Sequence[Measure]) -> list[str]:
    """The gate, the symptoms, and the shares among `measures` that are far from the runs before."""
    return [*_gate(night), *_symptoms(night), *_far(measures)]


def _gate(night: Night) -> Iterator[str]:
    missed = [one for one in night.gate if not one["success"]]
    fatal = sum(one["severity"] == "critical" for one in missed)
    held = f"{len(night.gate) - len(missed)} of {len(night.gate)} expectations"
    if not night.gate:
        yield "The gate has not looked at this run."
    elif fatal:
        yield f"The gate failed: {held} held, {fatal} of the others critical."
    else:
        yield f"The gate holds: {held}."


def _symptoms(night: Night) -> Iterator[str]:
    if night.symptoms:
        told = "; ".join(lines[0] for lines in night.symptoms)
        yield f"Symptoms in the whole warehouse: {told}."


def _far(measures: Sequence[Measure]) -> Iterator[str]:
    far = [f"{one.name} {one.mark}" for one in measures if one.mark]
    if far:
        yield f"Far from the runs before: {', '.join(far)}."

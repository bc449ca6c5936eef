"""What every run is expected to keep to, as Great Expectations' own expectations over its metrics.

What can only be wrong (a document lost or doubled) is held from the first run on. What depends on the
documents (shares, nulls, the mix of categories) is held against the runs before, so that a weak model may be
weak and a sudden change is still stopped. The bounds widen with the noise of small runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from statistics import pstdev
from typing import Any, Literal, TypeAlias

from warehouse.metrics import Metrics

Severity: TypeAlias = Literal["critical", "warning", "info"]
Suite: TypeAlias = Literal["default", "own"]

BETWEEN = "expect_column_values_to_be_between"
EQUAL = "expect_column_pair_values_to_be_equal"
# Fewer runs say too little of what is usual.
_ENOUGH_RUNS = 3
# No change of a share smaller than this is one, and none within four standard errors.
_LEAST_SHARE, _LEAST_MIX, _ERRORS = 0.10, 0.15, 4.0
_TIMES, _SLACK_S, _SLACK_H = 3.0, 1.0, 24.0
_FALLING = ("valid_share", "accepted_share")
_RISING = ("flagged_share", "rejected_share", "failed_share")
_LATE = {"latency_p50_s": _SLACK_S, "latency_p95_s": _SLACK_S} | {
    "newest_document_age_h": _SLACK_H,
    "hours_since_last_run": _SLACK_H,
}


@dataclass(frozen=True, slots=True)
class Expectation:
    """One expectation: type and arguments as Great Expectations has them, over columns that are metrics."""

    type: str
    kwargs: Mapping[str, Any]
    severity: Severity = "critical"
    suite: Suite = "default"
    notes: str = field(default="", compare=False)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that it looks at."""
        names = [self.kwargs.get(name) for name in ("column", "column_A", "column_B")]
        return tuple(name for name in names if isinstance(name, str))


def default_expectations(metrics: Metrics) -> Iterator[Expectation]:
    """The expectations that ship, with the bounds that this run's history gives."""
    yield Expectation(
        EQUAL,
        {"column_A": "documents_in", "column_B": "documents_out"},
        notes="Each document that was seen ends as exactly one extraction.",
    )
    yield _between("repeated_documents", 0, 0, "One extraction for each document of a run.")
    if len(metrics.history) >= _ENOUGH_RUNS:
        yield from _shares(metrics)
        yield from _mix(metrics)
        yield from _late(metrics)


def with_mix(metrics: Metrics) -> dict[str, float]:
    """The run's values, and with them how far its mix of outcomes lies from that of the runs before it:
    the total variation distance, 0 (the same) to 1.
    """
    if not metrics.history or not _outcomes(metrics.values):
        return dict(metrics.values)
    usual = _usual_mix(metrics)
    return {**metrics.values, "category_shift": _distance(_outcomes(metrics.values), usual)}


def _shares(metrics: Metrics) -> Iterator[Expectation]:
    """Shares that got worse, and nulls that became more or fewer: what is never null may be invented."""
    for name in metrics.values:
        kind = name.partition(":")[0]
        if kind not in (*_FALLING, *_RISING, "null_share"):
            continue
        seen = [(run[name], _documents(run)) for run in metrics.history if name in run]
        if len(seen) < _ENOUGH_RUNS:
            continue
        middle, slack = _band(seen, _documents(metrics.values))
        low = None if kind in _RISING else max(middle - slack, 0.0)
        high = None if kind in _FALLING else min(middle + slack, 1.0)
        yield _between(name, low, high, f"It was {middle:.3f} over the last {len(seen)} runs.")


def _band(seen: list[tuple[float, float]], documents: float) -> tuple[float, float]:
    """The usual share and how far one may lie from it: noise of drawing, and what runs differ by anyway."""
    total = sum(count for _, count in seen)
    middle = (sum(share * count for share, count in seen) + 1) / (total + 2)
    drawing = middle * (1 - middle) * (1 / max(documents, 1) + 1 / max(total, 1))
    between = pstdev(share for share, _ in seen)
    return middle, max(_LEAST_SHARE, _ERRORS * math.sqrt(drawing + between**2))


def _mix(metrics: Metrics) -> Iterator[Expectation]:
    outcomes, usual = _outcomes(metrics.values), _usual_mix(metrics)
    if not outcomes or not usual:
        return
    total = sum(map(_documents, metrics.history))
    inverse = 1 / max(_documents(metrics.values), 1) + 1 / max(total, 1)
    noise = sum(math.sqrt(share * (1 - share) * inverse) for share in usual.values()) / 2
    before = max((_distance(_outcomes(run), usual) for run in metrics.history if _outcomes(run)), default=0.0)
    notes = f"How far the mix of outcomes lies from that of the last {len(metrics.history)} runs, 0 to 1."
    yield _between("category_shift", None, min(max(_LEAST_MIX, _ERRORS * noise, 1.5 * before), 1.0), notes)


def _late(metrics: Metrics) -> Iterator[Expectation]:
    """Slow or stale answers are right all the same: to be known, and no reason to hold them back."""
    for name, slack in _LATE.items():
        seen = [run[name] for run in metrics.history if name in run]
        if name in metrics.values and len(seen) >= _ENOUGH_RUNS:
            notes = f"At most {max(seen):.3g} in the last {len(seen)} runs."
            yield _between(name, None, _TIMES * max(seen) + slack, notes, "warning")


def _between(
    name: str, low: float | None, high: float | None, notes: str, severity: Severity = "critical"
) -> Expectation:
    bounds = {"min_value": low, "max_value": high}
    kwargs = {"column": name} | {key: round(bound, 6) for key, bound in bounds.items() if bound is not None}
    return Expectation(BETWEEN, kwargs, severity, notes=notes)


def _documents(values: Mapping[str, float]) -> float:
    return values.get("documents_out", 0.0)


def _outcomes(values: Mapping[str, float]) -> dict[str, float]:
    """The share of each outcome: accepted, or its category."""
    found = {name: share for name, share in values.items() if name.startswith("category_share:")}
    return found | {"accepted": 1.0 - sum(found.values())} if found else {}


def _usual_mix(metrics: Metrics) -> dict[str, float]:
    weighted = [(_outcomes(run), _documents(run)) for run in metrics.history]
    total = sum(count for outcomes, count in weighted if outcomes)
    names = {name for outcomes, _ in weighted for name in outcomes}
    return {
        name: sum(outcomes.get(name, 0.0) * count for outcomes, count in weighted) / total
        for name in sorted(names)
        if total
    }


def _distance(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return sum(abs(one.get(name, 0.0) - other.get(name, 0.0)) for name in {*one, *other}) / 2

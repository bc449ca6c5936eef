"""The same done again, and how long it takes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from validators.statistics.measures import Measure, per_input

Output: TypeAlias = tuple[str | None, str | None]
"""An output's text and its value in one canonical form; None where there is none."""
IDENTICAL_OUTPUTS = "identical outputs"
IDENTICAL_VALUES = "identical values"
IDENTICAL_AMONG_VALUES = "identical values, where both have one"


def repeatability(
    inputs: Sequence[Hashable], first: Sequence[Output], second: Sequence[Output]
) -> list[Measure]:
    """The shares of identical outputs and of identical values, entry by entry, averaged by input.

    Two that are missing are not identical. The last measure is conditional on both having a value.
    """
    pairs = list(zip(first, second, strict=True))
    texts = [one[0] is not None and one[0] == other[0] for one, other in pairs]
    values = [one[1] is not None and one[1] == other[1] for one, other in pairs]
    among = [
        None if None in (one[1], other[1]) else same for (one, other), same in zip(pairs, values, strict=True)
    ]
    return [
        Measure(IDENTICAL_OUTPUTS, per_input(inputs, texts)[1]),
        Measure(IDENTICAL_VALUES, per_input(inputs, values)[1]),
        Measure(IDENTICAL_AMONG_VALUES, per_input(inputs, among)[1]),
    ]


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds within which half, 95 and 99 of a hundred are done; NaN where there are none."""

    median: float
    p95: float
    p99: float


def latency(seconds: Sequence[float]) -> Latency:
    """The quantiles of durations in seconds: of those measured, the smallest that enough are within."""
    if not len(seconds):
        return Latency(float("nan"), float("nan"), float("nan"))
    found = np.quantile(np.asarray(seconds, dtype=np.float64), [0.5, 0.95, 0.99], method="inverted_cdf")
    return Latency(*map(float, found))

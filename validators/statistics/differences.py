"""Paired differences: two ways of doing the same inputs, on the same resamples.

The variance is the bootstrap's. Two more inputs are counted in, one that goes either way, as Bonett and Price
do for proportions: without them four inputs of a hundred that all go one way pass for a difference.

Bonett and Price (2012), Journal of Educational and Behavioral Statistics 37.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from validators.statistics.intervals import FEW, RESAMPLES, variances
from validators.statistics.measures import Measure, Numbers
from validators.statistics.resampling import cluster_sums, resampled


class Judgement(StrEnum):
    """What the interval of a difference says of the second way against the baseline."""

    BETTER = "better"
    WORSE = "worse"
    NOT_SEPARATED = "not separated"


@dataclass(frozen=True, slots=True)
class Difference:
    """The other's rate minus the baseline's, −1 to 1, with its range; NaN where one of them is of nothing."""

    difference: float
    low: float
    high: float
    inputs: int
    verdict: Judgement
    conditional: bool

    @property
    def few(self) -> bool:
        """Whether there are too few inputs for the interval to say much."""
        return self.inputs < FEW

    def __str__(self) -> str:
        return f"{self.difference:+.3f} [{self.low:+.3f}, {self.high:+.3f}] {self.verdict}"


def compare_paired(
    baseline: Sequence[Measure],
    other: Sequence[Measure],
    *,
    clusters: Sequence[Hashable] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
) -> dict[str, Difference]:
    """The differences by name. Both sides hold the same measures of the same inputs, in the same order.

    Raises ValueError where they do not.
    """
    if [one.name for one in baseline] != [one.name for one in other]:
        raise ValueError("the two sides hold different measures")
    if not baseline:
        return {}
    above, below = cluster_sums([*baseline, *other], clusters)
    count = len(baseline)
    rates = resampled(above, below, resamples, seed)
    spread = variances(rates[:, count:] - rates[:, :count])
    pull = _pull(above[:, count:], below[:, count:]) - _pull(above[:, :count], below[:, :count])
    found = np.array([after.rate - before.rate for before, after in zip(baseline, other, strict=True)])
    lows, highs = adjusted_intervals(found, spread, pull, confidence)
    return {
        before.name: _difference(before, after, float(low), float(high))
        for before, after, low, high in zip(baseline, other, lows, highs, strict=True)
    }


def _pull(above: Numbers, below: Numbers) -> Numbers:
    """How far each cluster pulls a rate, clusters × measures: for a mean, its own value."""
    mean = below.mean(axis=0)
    pull: Numbers = np.divide(above, mean, out=np.zeros_like(above), where=mean > 0)
    return pull


def _difference(before: Measure, after: Measure, low: float, high: float) -> Difference:
    return Difference(
        difference=after.rate - before.rate,
        low=low,
        high=high,
        inputs=int(((before.denominator > 0) | (after.denominator > 0)).sum()),
        verdict=_judge(low, high, before),
        conditional=before.conditional or after.conditional,
    )


def adjusted_intervals(
    differences: Numbers, spread: Numbers, pull: Numbers, confidence: float
) -> tuple[Numbers, Numbers]:
    """Student's intervals with one more cluster on either side, as far off as those that differ are.

    `pull` is clusters × differences, each cluster's share; `spread` the bootstrap's variance of their means.
    """
    from scipy.stats import t

    count = len(pull)
    differing = (np.abs(pull) > 1e-12).sum(axis=0)
    size = np.where(differing > 0, (pull**2).sum(axis=0) / np.maximum(differing, 1), 1.0)
    centre = differences * count / (count + 2)
    squares = count * count * spread + 2 * size + 2 * count / (count + 2) * differences**2
    half = t.ppf(1 - (1 - confidence) / 2, count + 1) * np.sqrt(squares) / (count + 2)
    return np.maximum(centre - half, -1.0), np.minimum(centre + half, 1.0)


def _judge(low: float, high: float, measure: Measure) -> Judgement:
    if not (low > 0 or high < 0):  # a NaN separates nothing
        return Judgement.NOT_SEPARATED
    return Judgement.BETTER if (low > 0) == measure.higher_is_better else Judgement.WORSE

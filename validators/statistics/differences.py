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
    return {
        before.name: _difference(before, after, float(spread[index]), pull[:, index], confidence)
        for index, (before, after) in enumerate(zip(baseline, other, strict=True))
    }


def _pull(above: Numbers, below: Numbers) -> Numbers:
    """How far each cluster pulls a rate, clusters × measures: for a mean, its own value."""
    mean = below.mean(axis=0)
    pull: Numbers = np.divide(above, mean, out=np.zeros_like(above), where=mean > 0)
    return pull


def _difference(
    before: Measure, after: Measure, variance: float, pull: Numbers, confidence: float
) -> Difference:
    inputs = int(((before.denominator > 0) | (after.denominator > 0)).sum())
    conditional = before.conditional or after.conditional
    difference = after.rate - before.rate
    if np.isnan(difference):
        nothing = float("nan")
        return Difference(nothing, nothing, nothing, inputs, Judgement.NOT_SEPARATED, conditional)
    low, high = adjusted_interval(difference, variance, pull, confidence)
    return Difference(difference, low, high, inputs, _judge(low, high, before), conditional)


def adjusted_interval(
    difference: float, variance: float, pull: Numbers, confidence: float
) -> tuple[float, float]:
    """Student's interval with one more cluster on either side, as far off as those that differ are.

    `pull` holds each cluster's share of the difference; `variance` is the bootstrap's, of their mean.
    """
    from scipy.stats import t

    count = len(pull)
    differing = pull[np.abs(pull) > 1e-12]
    size = float(np.mean(differing**2)) if len(differing) else 1.0
    centre = difference * count / (count + 2)
    squares = count * count * variance + 2 * size + 2 * count / (count + 2) * difference**2
    half = float(t.ppf(1 - (1 - confidence) / 2, count + 1)) * np.sqrt(squares) / (count + 2)
    return max(-1.0, float(centre - half)), min(1.0, float(centre + half))


def _judge(low: float, high: float, measure: Measure) -> Judgement:
    if low <= 0 <= high:
        return Judgement.NOT_SEPARATED
    return Judgement.BETTER if (low > 0) == measure.higher_is_better else Judgement.WORSE

"""Intervals for rates.

The bootstrap over clusters gives the variance of a rate whatever ties its samples together; Wilson's score
interval is then taken at the number of independent trials with that variance (the effective sample size).
At 0 and 1, where no resample differs, it is Wilson's own. `docs/decisions/0006-intervals.md` says why.

Wilson (1927), JASA 22; Korn and Graubard (1998), Survey Methodology 24; Franco et al. (2019), Journal of
Survey Statistics and Methodology 7.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from validators.statistics.measures import Measure, Numbers
from validators.statistics.resampling import cluster_sums, resampled

FEW = 20
"""Inputs below which an interval says little, and a warning stands beside it."""
RESAMPLES = 10_000
SMALLEST = 1e-24
"""A variance below this is rounding: no resample differs."""
EDGE = 1e-12
"""A rate this near to 0 or 1 is there, but for rounding."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A rate and the range that holds the true one with the asked confidence; NaN where nothing counts.

    `inputs` is how many inputs the rate is of, `clusters` how many independent ones. `method` is `bootstrap`,
    `wilson` or `none`. `conditional` says that it is a rate among some of the inputs only.
    """

    rate: float
    low: float
    high: float
    inputs: int
    clusters: int
    method: str
    conditional: bool

    @property
    def few(self) -> bool:
        """Whether there are too few inputs for the interval to say much."""
        return self.inputs < FEW

    def __str__(self) -> str:
        return "-" if self.method == "none" else f"{self.rate:.3f} [{self.low:.3f}, {self.high:.3f}]"


def intervals(
    measures: Sequence[Measure],
    *,
    clusters: Sequence[Hashable] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
) -> dict[str, Interval]:
    """Each measure's interval, by name; all measures are taken on the same resamples.

    The measures are of the same inputs in the same order; `clusters` names for each input what it belongs to.
    Raises ValueError where lengths differ, or a measure is no rate: below 0 or above 1.
    """
    if not measures:
        return {}
    above, below = cluster_sums(measures, clusters)
    spread = np.zeros(len(measures))
    if len(above) > 1:
        spread = variances(resampled(above, below, resamples, seed))
    counted = (below > 0).sum(axis=0)
    rates = np.clip([one.rate for one in measures], 0.0, 1.0)
    if strange := [
        one.name for one in measures if not -EDGE <= one.rate <= 1 + EDGE and one.denominator.any()
    ]:
        raise ValueError(f"{', '.join(strange)}: no rate between 0 and 1")
    lows, highs = score_intervals(rates, spread, counted, confidence)
    return {
        one.name: _interval(one, float(low), float(high), int(count))
        for one, low, high, count in zip(measures, lows, highs, counted, strict=True)
    }


def variances(rates: Numbers) -> Numbers:
    """The variance over resamples, those left out in which none of the measure's inputs was drawn."""
    known = ~np.isnan(rates)
    count = np.maximum(known.sum(axis=0), 1)
    filled = np.where(known, rates, 0.0)
    mean = filled.sum(axis=0) / count
    spread: Numbers = np.where(known, (rates - mean) ** 2, 0.0).sum(axis=0) / count
    return spread


def _interval(measure: Measure, low: float, high: float, clusters: int) -> Interval:
    inputs = int((measure.denominator > 0).sum())
    edge = min(measure.rate, 1 - measure.rate) < EDGE
    method = "none" if not clusters else "wilson" if edge else "bootstrap"
    return Interval(measure.rate, low, high, inputs, clusters, method, measure.conditional)


def score_intervals(
    rates: Numbers, spread: Numbers, clusters: ArrayLike, confidence: float
) -> tuple[Numbers, Numbers]:
    """Wilson's intervals at the effective numbers of trials, rate × (1 − rate) / variance, one a rate.

    Where no resample differs (at 0 and 1) that number is the clusters'. Elsewhere the quantile is Student's,
    so that few clusters widen it. A rate that is NaN has no interval.
    """
    from scipy.stats import norm, t

    tail = 1 - (1 - confidence) / 2
    count = np.maximum(np.asarray(clusters, dtype=np.float64), 1)
    varies = (spread > SMALLEST) & (count > 1)
    trials = np.where(varies, rates * (1 - rates) / np.where(varies, spread, 1), count)
    trials = np.maximum(trials, 1)  # only a rate that hangs on one input can seem to be of less
    z = np.where(varies, t.ppf(tail, np.maximum(count - 1, 1)), norm.ppf(tail))
    square = z * z / trials
    centre = (rates + square / 2) / (1 + square)
    half = z / (1 + square) * np.sqrt(rates * (1 - rates) / trials + square / (4 * trials))
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)

"""Intervals for rates.

The bootstrap over clusters gives the variance of a rate whatever ties its samples together; Wilson's score
interval is then taken at the number of independent trials with that variance (the effective sample size).
At 0 and 1, where no resample differs, it is Wilson's own. `docs/decisions/0006-intervals.md` has its coverage.

Wilson (1927), JASA 22; Korn and Graubard (1998), Survey Methodology 24; Franco et al. (2019), Journal of
Survey Statistics and Methodology 7.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from validators.statistics.measures import Measure, Numbers
from validators.statistics.resampling import cluster_sums, resampled

FEW = 20
"""Inputs below which an interval says little, and a warning stands beside it."""
RESAMPLES = 10_000


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
    Rates must lie between 0 and 1. Raises ValueError where lengths differ.
    """
    if not measures:
        return {}
    above, below = cluster_sums(measures, clusters)
    spread = np.zeros(len(measures))
    if len(above) > 1:
        spread = variances(resampled(above, below, resamples, seed))
    return {
        one.name: _interval(one, float(variance), below[:, index], confidence)
        for index, (one, variance) in enumerate(zip(measures, spread, strict=True))
    }


def variances(rates: Numbers) -> Numbers:
    """The variance over resamples, those left out in which none of the measure's inputs was drawn."""
    known = ~np.isnan(rates)
    count = np.maximum(known.sum(axis=0), 1)
    filled = np.where(known, rates, 0.0)
    mean = filled.sum(axis=0) / count
    squares: Numbers = np.where(known, (rates - mean) ** 2, 0.0).sum(axis=0) / count
    return squares


def _interval(measure: Measure, variance: float, weights: Numbers, confidence: float) -> Interval:
    clusters = int((weights > 0).sum())
    inputs = int((measure.denominator > 0).sum())
    rate = measure.rate
    if not clusters:
        return Interval(rate, rate, rate, inputs, clusters, "none", measure.conditional)
    low, high = score_interval(rate, variance, clusters, confidence)
    edge = rate in (0.0, 1.0)
    return Interval(rate, low, high, inputs, clusters, "wilson" if edge else "bootstrap", measure.conditional)


def score_interval(rate: float, variance: float, clusters: int, confidence: float) -> tuple[float, float]:
    """Wilson's interval at the effective number of trials, rate × (1 − rate) / variance.

    At 0 and 1 that number is the clusters'. The quantile is Student's, so that few clusters widen it.
    """
    from scipy.stats import norm, t

    tail = 1 - (1 - confidence) / 2
    if rate in (0.0, 1.0) or variance <= 0 or clusters < 2:
        z, trials = float(norm.ppf(tail)), float(clusters)
    else:
        z, trials = float(t.ppf(tail, clusters - 1)), rate * (1 - rate) / variance
    square = z * z / trials
    centre = (rate + square / 2) / (1 + square)
    half = z / (1 + square) * np.sqrt(rate * (1 - rate) / trials + square / (4 * trials))
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))

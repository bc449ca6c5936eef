"""The bootstrap: clusters of inputs drawn with replacement, all measures on the same draws.

Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 6 and 13.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from validators.statistics.measures import Measure, Numbers

AT_ONCE = 1_000_000
"""Drawn inputs held at once: 8 MB of counts."""


def cluster_sums(measures: Sequence[Measure], clusters: Sequence[Hashable] | None) -> tuple[Numbers, Numbers]:
    """Numerators and denominators, clusters × measures; without clusters every input is its own.

    Raises ValueError where the measures or the clusters are not of the same inputs.
    """
    above = np.column_stack([one.numerator for one in measures])
    below = np.column_stack([one.denominator for one in measures])
    if clusters is None:
        return above, below
    if len(clusters) != len(above):
        raise ValueError(f"{len(clusters)} clusters are named for {len(above)} inputs")
    number: dict[Hashable, int] = {}
    where = np.array([number.setdefault(one, len(number)) for one in clusters], dtype=np.intp)
    sums = np.zeros((2, len(number), len(measures)))
    np.add.at(sums[0], where, above)
    np.add.at(sums[1], where, below)
    return sums[0], sums[1]


def draws(clusters: int, resamples: int, seed: int) -> Iterator[Numbers]:
    """How often each cluster is drawn, resamples × clusters, in blocks; the same for the same seed."""
    generator = np.random.default_rng(seed)
    block = max(1, AT_ONCE // max(1, clusters))
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        drawn = generator.integers(0, clusters, size=(rows, clusters), dtype=np.uint32)
        drawn = drawn + np.arange(0, rows * clusters, clusters)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * clusters)
        yield counts.reshape(rows, clusters).astype(np.float64)


def resampled(above: Numbers, below: Numbers, resamples: int, seed: int) -> Numbers:
    """Each measure's rate in each resample, resamples × measures; NaN where none of its inputs was drawn."""
    measures = above.shape[1]
    distinct, which = np.unique(below, axis=1, return_inverse=True)  # most measures are of all inputs
    both = np.hstack([above, distinct])
    sums = np.vstack([counts @ both for counts in draws(len(above), resamples, seed)])
    totals = sums[:, measures:][:, which.ravel()]
    rates = np.full((resamples, measures), np.nan)
    np.divide(sums[:, :measures], totals, out=rates, where=totals > 0)
    return rates

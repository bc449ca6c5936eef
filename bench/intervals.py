"""How long the intervals of an evaluation take, and what they cover.

`python -m bench.intervals [--inputs N] [--measures N] [--resamples N] [--coverage] [--json]`

The time is that of all intervals, the resamples drawn included. The loop beside it draws as many resamples
one by one with NumPy, all measures at once: the ratio to it is what can be compared between machines.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from validators.statistics import Measure, compare_paired, intervals
from validators.statistics.intervals import score_intervals

LIMIT_S = 1.0
"""Seconds in which the intervals are due at the default sizes."""
RATES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95)
SAMPLES = 10


def best_of(times: int, work: Callable[[], object]) -> float:
    """The shortest of some runs, in seconds: what the work takes when nothing else disturbs it."""
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        spent.append(time.perf_counter() - start)
    return min(spent)


def plain_loop(values: np.ndarray, resamples: int) -> np.ndarray:
    """The same bootstrap as it is usually written: percentiles of a mean for each resample."""
    generator = np.random.default_rng(0)
    count = len(values)
    means = np.array([values[generator.integers(0, count, count)].mean(axis=0) for _ in range(resamples)])
    found: np.ndarray = np.quantile(means, [0.025, 0.975], axis=0)
    return found


def speed(inputs: int, count: int, resamples: int) -> dict[str, Any]:
    """Seconds for the intervals, the paired differences and the plain loop."""
    values = np.random.default_rng(1).binomial(SAMPLES, 0.7, (inputs, count)) / SAMPLES
    other = np.random.default_rng(2).binomial(SAMPLES, 0.75, (inputs, count)) / SAMPLES
    base = [Measure(str(index), values[:, index]) for index in range(count)]
    against = [Measure(str(index), other[:, index]) for index in range(count)]
    intervals(base[:1], resamples=10)  # scipy's import is no part of it
    ours = best_of(5, lambda: intervals(base, resamples=resamples))
    paired = best_of(3, lambda: compare_paired(base, against, resamples=resamples))
    loop = best_of(2, lambda: plain_loop(values, resamples))
    return {
        "intervals_s": round(ours, 3),
        "differences_s": round(paired, 3),
        "plain_loop_s": round(loop, 3),
        "loop_over_intervals": round(loop / ours, 2),
    }


def coverage(tied: float, sets: int = 4000, inputs: int = 100) -> dict[str, tuple[float, float]]:
    """For each rate the share of simulated sets whose interval holds it: over inputs, and over samples.

    Samples of one input are correlated by `tied` (beta-binomial).
    """
    generator = np.random.default_rng(20)
    spread = (1 - tied) / tied
    found = {}
    for rate in RATES:
        own = generator.beta(rate * spread, (1 - rate) * spread, (inputs, sets))
        means = generator.binomial(SAMPLES, own) / SAMPLES
        ours = intervals([Measure(str(one), means[:, one]) for one in range(sets)], resamples=1000)
        held = np.mean([one.low <= rate <= one.high for one in ours.values()])
        pooled, count = means.mean(axis=0), inputs * SAMPLES
        lows, highs = score_intervals(pooled, pooled * (1 - pooled) / count, count, 0.95)
        naive = np.mean((lows <= rate) & (rate <= highs))
        found[str(rate)] = (round(float(held), 3), round(float(naive), 3))
    return found


def main() -> None:
    """Measure and print; exit 1 where the default sizes take longer than they may."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--inputs", type=int, default=1000)
    parser.add_argument("--measures", type=int, default=20)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--coverage", action="store_true", help="simulate what the intervals cover as well")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = speed(options.inputs, options.measures, options.resamples)
    if options.coverage:
        figures["coverage"] = {f"correlation {tied}": coverage(tied) for tied in (0.2, 0.5, 0.8)}
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {figures[name]}" for name in figures))
    if figures["intervals_s"] >= LIMIT_S:
        raise SystemExit(f"the intervals took {figures['intervals_s']} s; they are due in {LIMIT_S} s")


if __name__ == "__main__":
    main()

"""Rates per input and how sure they are: bootstrap over inputs, score intervals, paired differences."""

from __future__ import annotations

from validators.statistics.detectors import Detector, detectors
from validators.statistics.differences import Difference, compare_paired
from validators.statistics.intervals import FEW, Interval, intervals
from validators.statistics.measures import Measure, per_input
from validators.statistics.repeatability import Latency, latency, repeatability

__all__ = [
    "FEW", "Detector", "Difference", "Interval", "Latency", "Measure", "compare_paired", "detectors",
    "intervals", "latency", "per_input", "repeatability",
]  # fmt: skip

"""Checks as detectors of errors: how much of what they flag is wrong, and of what is wrong they flag."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from validators.statistics.intervals import RESAMPLES, Interval, intervals
from validators.statistics.measures import Measure, per_input


@dataclass(frozen=True, slots=True)
class Detector:
    """One check (a category, a level or any other) against the truth. The counts are of outputs.

    `precision` is the share of wrong ones among the flagged, `recall` the share of flagged ones among the
    wrong, `accepted_right` the share of right ones among those that it let pass. All three are conditional.
    """

    category: str
    flagged: int
    wrong: int
    both: int
    outputs: int
    precision: Interval
    recall: Interval
    accepted_right: Interval


def detectors(
    inputs: Sequence[Hashable],
    flagged: Mapping[str, Sequence[bool]],
    wrong: Sequence[bool],
    *,
    clusters: Mapping[Hashable, Hashable] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
) -> list[Detector]:
    """Each check's figures. `inputs`, `flagged[category]` and `wrong` have one entry an output.

    An input's samples are averaged first; `clusters` maps an input to what it belongs to.
    """
    bad = np.asarray(wrong, dtype=bool)
    flags = {category: np.asarray(flag, dtype=bool) for category, flag in flagged.items()}
    measures = [one for category, flag in flags.items() for one in _measures(category, inputs, flag, bad)]
    order = list(dict.fromkeys(inputs))
    found = intervals(
        measures,
        clusters=None if clusters is None else [clusters[one] for one in order],
        resamples=resamples,
        seed=seed,
        confidence=confidence,
    )
    return [
        Detector(
            category,
            flagged=int(flag.sum()),
            wrong=int(bad.sum()),
            both=int((flag & bad).sum()),
            outputs=len(bad),
            precision=found[f"{category} precision"],
            recall=found[f"{category} recall"],
            accepted_right=found[f"{category} accepted right"],
        )
        for category, flag in flags.items()
    ]


def _measures(
    category: str, inputs: Sequence[Hashable], flag: np.ndarray, bad: np.ndarray
) -> Iterator[Measure]:
    def mean(holds: np.ndarray) -> np.ndarray:
        return per_input(inputs, [bool(one) for one in holds])[1]

    yield Measure(f"{category} precision", mean(flag & bad), mean(flag))
    yield Measure(f"{category} recall", mean(flag & bad), mean(bad))
    yield Measure(f"{category} accepted right", mean(~flag & ~bad), mean(~flag))

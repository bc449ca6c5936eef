"""What is measured: one number an input, its samples averaged before anything else."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """A rate over inputs: the sum of `numerator` over the sum of `denominator`, one entry an input.

    Without a denominator it is the mean over all inputs, a NaN being an input to which it does not apply.
    With one, or with a NaN, it is conditional: a rate among some inputs only.
    """

    name: str
    numerator: Numbers
    denominator: Numbers
    higher_is_better: bool = True

    def __init__(
        self,
        name: str,
        numerator: ArrayLike,
        denominator: ArrayLike | None = None,
        *,
        higher_is_better: bool = True,
    ) -> None:
        above = np.asarray(numerator, dtype=np.float64)
        below = np.ones_like(above) if denominator is None else np.asarray(denominator, dtype=np.float64)
        if above.ndim != 1 or above.shape != below.shape:
            raise ValueError(f"{name}: one number an input is needed, {above.shape} against {below.shape}")
        applies = ~(np.isnan(above) | np.isnan(below))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "numerator", np.where(applies, above, 0.0))
        object.__setattr__(self, "denominator", np.where(applies, below, 0.0))
        object.__setattr__(self, "higher_is_better", higher_is_better)

    @property
    def conditional(self) -> bool:
        """Whether some inputs are not counted, or not in full."""
        return bool((self.denominator != 1).any())

    @property
    def rate(self) -> float:
        """The rate; NaN where no input counts."""
        total = self.denominator.sum()
        return float(self.numerator.sum() / total) if total else float("nan")


def per_input(
    inputs: Sequence[Hashable], values: Sequence[float | bool | None]
) -> tuple[list[Hashable], Numbers]:
    """The inputs, each once, in the order of their first sample, and the mean of each one's values.

    None is a sample to which the measure does not apply; an input of such samples alone is NaN.
    """
    number: dict[Hashable, int] = {}
    where = np.array([number.setdefault(one, len(number)) for one in inputs], dtype=np.intp)
    known = np.array([np.nan if value is None else float(value) for value in values], dtype=np.float64)
    if len(where) != len(known):
        raise ValueError(f"{len(where)} inputs against {len(known)} values")
    counted = ~np.isnan(known)
    sums = np.bincount(where[counted], known[counted], minlength=len(number))
    counts = np.bincount(where[counted], minlength=len(number))
    means = np.divide(sums, counts, out=np.full(len(number), np.nan), where=counts > 0)
    return list(number), means

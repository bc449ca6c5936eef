"""Selection that undoes what the mask does to probabilities: weigh the samples, draw one by weight.

Masking each token renormalises it on its own, so an answer that the model hardly wanted can become common,
only because the way to it was narrow. A masked sample of an answer y has the probability P(y) / A(y), where
A(y) is the product of the mass that the mask allowed at each token. Weighing each sample by A(y) and drawing
one by weight follows P(y) among the valid answers, the better the more samples there are (sampling importance
resampling: Rubin 1987; for grammars: Park et al. 2024, "Grammar-Aligned Decoding").
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from extractors.selection import Judged


def weights(logs: Sequence[float]) -> list[float]:
    """Weights that sum to 1, from the log of each sample's allowed mass."""
    highest = max(logs)
    raw = [math.exp(log - highest) for log in logs]
    total = sum(raw)
    return [one / total for one in raw]


def effective_samples(given: Sequence[float]) -> float:
    """As many equally weighted samples would tell as much: (sum w)^2 / sum w^2 (Kish 1965)."""
    return sum(given) ** 2 / sum(one**2 for one in given)


def aligned(judged: Sequence[Judged], seed: int) -> tuple[Judged, float] | None:
    """One sample that fits the schema, drawn by weight, and the effective number of samples.

    A sample whose allowed mass is not known cannot be weighed and is left out; None where none is left. The
    same seed draws the same sample.
    """
    pool = [one for one in judged if one.usable and one.attempt.mask.log_allowed_mass is not None]
    if not pool:
        return None
    shares = weights([one.attempt.mask.log_allowed_mass or 0.0 for one in pool])
    (drawn,) = random.Random(seed).choices(pool, shares)
    return drawn, effective_samples(shares)

"""The whole distribution at each token of an answer, before and after the mask. Needs the model."""

from __future__ import annotations

import heapq
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Ranked: TypeAlias = tuple[tuple[int, float], ...]
Distribution: TypeAlias = Callable[[tuple[int, ...]], Awaitable[Mapping[int, float]]]
LIKELIEST = 5


@dataclass(frozen=True, slots=True)
class Likelihood:
    """One token's probability before and after the mask, the mass that the mask left (all 0 to 1), and the
    likeliest tokens (id, probability) before and after it. Temperature and truncation have no part in them.
    """

    raw: float
    masked: float
    allowed: float
    before: Ranked
    after: Ranked


async def likelihoods(
    distribution: Distribution,
    prompt: tuple[int, ...],
    answer: Sequence[int],
    legal: Sequence[frozenset[int]] | None,
) -> list[Likelihood]:
    """One for each token of `answer`; `legal` None where nothing was masked.

    `distribution(ids)` gives the model's own log-probability of every token that could follow `ids`.
    """
    found = []
    for i, token in enumerate(answer):
        logs = await distribution((*prompt, *answer[:i]))
        found.append(likelihood(logs, token, legal[i] if legal is not None else None))
    return found


def likelihood(logs: Mapping[int, float], token: int, legal: frozenset[int] | None) -> Likelihood:
    """One place of an answer, from the log-probability of every token there."""
    own = {id_: math.exp(log) for id_, log in logs.items()}
    kept = own if legal is None else {id_: own[id_] for id_ in legal if id_ in own}
    allowed = min(1.0, math.fsum(kept.values())) if legal is not None else 1.0
    share = allowed or 1.0
    after = tuple((id_, one / share) for id_, one in _likeliest(kept))
    return Likelihood(own[token], own[token] / share, allowed, _likeliest(own), after)


def _likeliest(probabilities: Mapping[int, float]) -> Ranked:
    return tuple(heapq.nlargest(LIKELIEST, probabilities.items(), key=lambda pair: pair[1]))

"""Beam search under a schema: the few likeliest valid answers are kept at each token.

AsyncLLM has no beam search with structured output, so it is done here, one token a request, with the mask of
the same grammar (llguidance). Scores are the model's own log-probabilities, not renormalised by the mask: the
search looks for the likeliest valid answer. Slow, for a request or more is made for each beam and token.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, TypeAlias

from schemas.errors import EngineRefusedSchema
from schemas.records import Ending, Token

Allowed: TypeAlias = "frozenset[int] | None"
Likeliest: TypeAlias = Callable[[Sequence[int], Allowed, int], Awaitable[list[Token]]]


class Mask(Protocol):
    """What may come next. Immutable: `after` gives the mask that follows a token."""

    def allowed(self) -> Allowed:
        """Ids of the tokens that may come next, the end of the answer among them; None for all."""

    def after(self, token: int) -> Mask:
        """The mask after one of the allowed tokens."""


class NoMask:
    """Everything may come next."""

    def allowed(self) -> Allowed:
        """All tokens."""
        return None

    def after(self, token: int) -> Mask:  # noqa: ARG002 - no token changes it
        """The same."""
        return self


class GrammarMask:
    """The mask of a compiled JSON Schema, as vLLM's guidance backend computes it with compact white space."""

    def __init__(self, matcher: object) -> None:
        """Wrap an `llguidance.LLMatcher`; `compiled` makes one."""
        self._matcher: object = matcher

    @classmethod
    def compiled(cls, json_schema: str, tokenizer_json: str, vocabulary: int, end: int) -> GrammarMask:
        """From the schema and the tokenizer's file. Raises EngineRefusedSchema with the reason."""
        import llguidance

        tokenizer = _tokenizer(tokenizer_json, vocabulary, end)
        grammar = llguidance.LLMatcher.grammar_from_json_schema(
            json_schema, defaults={"whitespace_flexible": False}
        )
        matcher = llguidance.LLMatcher(tokenizer, grammar)
        if matcher.is_error():
            raise EngineRefusedSchema(f"guidance cannot enforce the schema: {matcher.get_error()}")
        return cls(matcher)

    def allowed(self) -> Allowed:
        """The set bits of the grammar's bitmask, 32 tokens a word."""
        import numpy as np

        bits = np.frombuffer(self._matcher.compute_bitmask(), dtype=np.uint8)  # type: ignore[attr-defined]
        return frozenset(np.flatnonzero(np.unpackbits(bits, bitorder="little")).tolist())

    def after(self, token: int) -> Mask:
        """A copy that has consumed the token."""
        copy = self._matcher.deep_copy()  # type: ignore[attr-defined]
        copy.consume_token(token)
        return GrammarMask(copy)


@lru_cache(maxsize=2)
def _tokenizer(tokenizer_json: str, vocabulary: int, end: int) -> Any:
    """Made once for all documents: it costs more than the schema's grammar."""
    import llguidance

    return llguidance.LLTokenizer(tokenizer_json, n_vocab=vocabulary, eos_token=end)


@dataclass(frozen=True, slots=True)
class Beam:
    """A beginning of an answer, and its summed natural log-probability."""

    tokens: tuple[Token, ...]
    score: float
    mask: Mask

    @property
    def mean(self) -> float:
        """Log-probability a token, so that a longer answer is no worse for its length."""
        return self.score / max(1, len(self.tokens))

    def grown(self, token: Token) -> Beam:
        """With one more token. The mask is left behind: it is moved on only for beams that are kept."""
        return Beam((*self.tokens, token), self.score + (token.raw_logprob or 0.0), self.mask)


async def search(
    likeliest: Likeliest, mask: Mask, width: int, limit: int, ends: frozenset[int]
) -> tuple[Ending, tuple[Token, ...]]:
    """The best answer found, without its end token, and whether it ended or met `limit` tokens.

    `likeliest(ids, allowed, n)` gives the n likeliest allowed tokens after `ids`, best first.
    """
    beams, finished = [Beam((), 0.0, mask)], list[Beam]()
    for _ in range(limit):
        children = await asyncio.gather(*(_children(likeliest, beam, width) for beam in beams))
        grown = [one for of_one_beam in children for one in of_one_beam]
        grown.sort(key=lambda beam: beam.score, reverse=True)
        best = grown[:width]
        finished += [beam for beam in best if beam.tokens[-1].id in ends]
        beams = [_moved(beam) for beam in best if beam.tokens[-1].id not in ends]
        if not beams or len(finished) >= width:
            break
    if finished:
        return Ending.STOP, max(finished, key=lambda beam: beam.mean).tokens[:-1]
    return Ending.LENGTH, max(beams, key=lambda beam: beam.score).tokens


async def _children(likeliest: Likeliest, beam: Beam, width: int) -> list[Beam]:
    ids = [token.id for token in beam.tokens]
    return [beam.grown(token) for token in await likeliest(ids, beam.mask.allowed(), width)]


def _moved(beam: Beam) -> Beam:
    return Beam(beam.tokens, beam.score, beam.mask.after(beam.tokens[-1].id))

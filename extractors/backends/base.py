"""What a backend gives for a schema: a grammar that says, token by token, what may come next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from schemas.errors import EngineRefusedSchema


class SchemaTooLarge(EngineRefusedSchema):
    """No keyword is at fault: the backend does not get done with the schema as a whole."""


class Grammar(Protocol):
    """A compiled schema, and how far an answer has come under it."""

    def allowed(self) -> frozenset[int]:
        """Ids of the tokens that may come next, the end of the answer among them."""

    def count(self) -> int:
        """How many tokens may come next: `allowed` without naming them, a hundred times quicker."""

    def advance(self, token: int) -> bool:
        """Take one token; False where the grammar refuses it, and then nothing has changed."""

    def finished(self) -> bool:
        """Whether the answer may end here."""

    def restart(self) -> None:
        """Back to the beginning."""


def accepts(grammar: Grammar, ids: Sequence[int]) -> bool:
    """Whether these tokens are a whole answer. The grammar is walked from its beginning, and set back."""
    try:
        return all(grammar.advance(token) for token in ids) and grammar.finished()
    finally:
        grammar.restart()


def walked(grammar: Grammar, ids: Sequence[int]) -> list[int]:
    """How many tokens were legal where each of `ids` was taken; shorter where one of them was not legal.

    The last one may be the end of the answer, which some backends allow and do not take.
    """
    counts: list[int] = []
    try:
        for token in ids:
            legal = grammar.count()
            taken = grammar.advance(token)
            if taken or token in grammar.allowed():
                counts.append(legal)
            if not taken:
                break
    finally:
        grammar.restart()
    return counts


def bit_count(words: bytes, size: int) -> int:
    """How many bits of a bitmask are set, as `bits` would name them."""
    import numpy as np

    flags = np.unpackbits(np.frombuffer(words, dtype=np.uint8), bitorder="little")
    return int(flags[:size].sum())


def bits(words: bytes, size: int) -> frozenset[int]:
    """The set bits of a bitmask of 32-bit words, low bit first: the ids of `size` tokens that are allowed."""
    import numpy as np

    found = np.flatnonzero(np.unpackbits(np.frombuffer(words, dtype=np.uint8), bitorder="little"))
    return frozenset(int(id_) for id_ in found if id_ < size)

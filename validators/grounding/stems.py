"""Searching for a pattern whose matches begin with one of a few words: "ignore", "report", "dear".

`re` tries each branch of a large pattern at each character. Where the first words are known, a far smaller
pattern finds the places that are worth a try; what is found is the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

_FIRST = re.compile(r"\\?.")


class Stemmed:
    """A pattern, and the heads with which its matches begin: patterns whose first character is given, not a
    class."""

    def __init__(self, heads: Iterable[str], pattern: str) -> None:
        self._pattern = re.compile(pattern)
        self._start = re.compile(_starts(set(heads)))

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """What `re.finditer` gives for the pattern."""
        end = 0
        for start in self._start.finditer(text):
            if start.start() >= end and (match := self._pattern.match(text, start.start())):
                end = match.end()
                yield match


def _starts(heads: Iterable[str]) -> str:
    """The heads' first characters, each with what follows: for `re`, a set of characters to search for."""
    grouped = groupby(sorted(heads), key=_first)
    return "|".join(f"{one}(?={'|'.join(head[len(one) :] for head in heads)})" for one, heads in grouped)


def _first(head: str) -> str:
    first = _FIRST.match(head)
    return first[0] if first else ""

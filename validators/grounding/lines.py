"""A text's lines and their shapes: `W` words, `D` a date, `M` an amount, whole numbers left out."""

from __future__ import annotations

import re

_PART = re.compile(
    r"(?P<D>\d{1,4}[./-]\d{1,2}[./-]\d{1,4})|(?P<M>[-(+]?[$€£]?\d[\d.,']*[.,]\d{2,4}(?!\d))|(?P<N>\d+)"
    r"|(?P<W>[^\W\d_][^\s\d]*(?:\s+[^\W\d_][^\s\d]*)*+)"
)
"""Words that only white space parts are taken at once."""
_WORDS = re.compile("WW+")


def shape_of(line: str) -> str:
    """The shape of one line: its words, dates and amounts in order, words that follow each other as one."""
    parts = "".join([match.lastgroup or "" for match in _PART.finditer(line)]) if line else ""
    return _WORDS.sub("W", parts.replace("N", ""))


def line_starts(text: str) -> list[int]:
    """Offsets at which lines begin."""
    return [0, *(match.end() for match in re.finditer("\n", text))]

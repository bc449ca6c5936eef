"""Dates whose month is a word: "March 9, 2024", "le 9 mars 2024", "31st day of may , 2005", "18-mar-18"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from functools import lru_cache

from validators.grounding.date_patterns import TIGHT, WIDE, Surroundings, short_years
from validators.grounding.dates import DateMention
from validators.grounding.month_names import Names, english

_WORD = re.compile(r"[^\W\d_]+")
_WEEKDAYS = frozenset(["sun", "mon", "tue", "wed", "thu", "fri", "sat"])


def scan(text: str) -> list[DateMention]:
    """Every date in the folded text whose month is named in English."""
    found: list[DateMention] = []
    for match in _english().finditer(text):
        if match.start() and text[match.start() - 1].isalpha():
            continue
        found += _around(text, match.start(), english()[match[0]], TIGHT)
    return found


@lru_cache(maxsize=1)
def _english() -> re.Pattern[str]:
    names = "|".join(sorted(english(), key=len, reverse=True))
    return re.compile(rf"(?:{names})(?![^\W\d_])")


def scan_local(text: str, names: Names) -> list[DateMention]:
    """Every date in the folded text whose month is one of the names of the document's own language."""
    return _scan(text, names, set(_WORD.findall(text)) & names.keys(), WIDE)


def scan_foreign(text: str, names: Names) -> list[DateMention]:
    """Every date in the folded text whose month is one of `names`, of all languages.

    Short Latin ones are common words elsewhere, so that nothing but punctuation may part them from their day.
    """
    present = (set(_WORD.findall(text)) & names.keys()) - _WEEKDAYS - english().keys()
    short = {word for word in present if word.isascii() and len(word) <= 3}
    return _scan(text, names, short, TIGHT) + _scan(text, names, present - short, WIDE)


def _scan(text: str, names: Names, words: set[str], surroundings: Surroundings) -> list[DateMention]:
    found: list[DateMention] = []
    for match in _WORD.finditer(text) if words else ():
        if match[0] in words:
            found += _around(text, match.start(), names[match[0]], surroundings)
    return found


def _around(
    text: str, at: int, entry: tuple[tuple[str, int], ...], surroundings: Surroundings
) -> Iterator[DateMention]:
    """The dates around the longest name of `entry` that stands at `at`; a shared name is ambiguous."""
    found: dict[tuple[int, int, int], list[tuple[str, date]]] = defaultdict(list)
    longest = 0
    for name, month in entry:
        start = at - _offset(name)
        if len(name) < longest or start < 0 or not text.startswith(name, start):
            continue
        end = start + len(name)
        end += text.startswith(".", end)
        days = list(surroundings.around(text, start, end, month)) or list(
            short_years(text, start, end, month)
        )
        for first, last, day in days:
            longest = len(name)
            found[first, last, day.day].append((f"month {month} {day.day}", day))
    yield from (DateMention(start, end, tuple(days)) for (start, end, _), days in found.items())


@lru_cache(maxsize=8192)
def _offset(name: str) -> int:
    """Where the first word of a name begins."""
    match = _WORD.search(name)
    return match.start() if match else 0

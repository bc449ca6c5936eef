"""Durations: "2 years" against "two (2) years", "two-year", "the second anniversary"."""

from __future__ import annotations

import re

from validators.grounding.number_words import COUNTS, DAY_WORDS, DAYS, SMALL_WORDS

_UNIT = r"(day|week|month|quarter|year)s?"
_VALUE = re.compile(
    rf"\s*(?:a period of\s+)?(\d{{1,4}}|{SMALL_WORDS})(?:\s{{0,2}}\(\s?(\d{{1,4}}|{SMALL_WORDS})\s?\))?"
    rf"[\s-]+{_UNIT}\s*\.?\Z"
)
_COUNT = rf"(\d{{1,4}}(?![\d.,])|{SMALL_WORDS})"
_WRITTEN = re.compile(
    rf"(?<![\w.,-]){_COUNT}(?:\s{{0,2}}\(\s?{_COUNT}\s?\))?\)?[\s-]{{0,2}}"
    rf"(?:(?:full|calendar|consecutive|business)\s)?{_UNIT}(?!\w)"
)
_ANNIVERSARY = re.compile(
    rf"({DAY_WORDS}|\d{{1,2}}(?:st|nd|rd|th))(?:\s{{0,2}}\(\s?\w{{3,4}}\s?\))?\s{{1,2}}anniversary"
)


def parse(folded: str) -> tuple[int, str] | None:
    """(count, unit) where the whole folded text is a duration; else None."""
    match = _VALUE.match(folded)
    if not match or (match[2] and _count(match[1]) != _count(match[2])):
        return None
    return _count(match[1]), match[3]


def scan(folded: str) -> list[tuple[int, int, tuple[int, str]]]:
    """(start, end, (count, unit)) for each duration in a folded text."""
    found = []
    for match in _WRITTEN.finditer(folded):
        counts = {_count(match[group]) for group in (1, 2) if match[group]}
        found += [(match.start(), match.end(), (count, match[3])) for count in counts]
    for match in _ANNIVERSARY.finditer(folded):
        word = re.sub(r"\W+", "-", match[1])
        number = DAYS.get(word) or int(re.sub(r"\D", "", word) or 0)
        found.append((match.start(), match.end(), (number, "year")))
    return found


def _count(written: str) -> int:
    return int(written) if written.isdecimal() else COUNTS[re.sub(r"[\s-]+", "-", written)]

"""Dates whose month is a word: "March 9, 2024", "le 9 mars 2024", "31st day of may , 2005", "18-mar-18"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from validators.grounding.dates import DateMention, make
from validators.grounding.month_names import Names
from validators.grounding.number_words import DAY_WORDS, DAYS, YEAR_WORDS, year_of

_WORD = re.compile(r"[^\W\d_]+")
_GAP = r"(?:[^\w\n]|\n|_){0,4}(?:(?:[^\W\d_]|[^\w\s]){1,8}(?:[^\w]{0,3})){0,2}?"
_OF = r"(?:st|nd|rd|th)?(?:[^\w]{0,3}(?:day|of|the|month|de|del)){0,5}"
_YEAR = r"(?:\d{4}(?!\d)|" + YEAR_WORDS + r")"
_SHORT_YEAR = r"\d\d(?!\d)"
_LONG_WAY = r"[^\w]{0,4}(?:(?:of|in|the|year|our|lord|a\.?d\.?|two thousand|de|del)[^\w]{1,3}){0,6}"
_DAY = r"(?:\d{1,2}(?!\d)|" + DAY_WORDS + r")"
_NEAR = 48
"""Furthest that a day or a year stands from its month, in characters."""

_RIGHT_DAY_YEAR = re.compile(rf"[^\w]{{0,4}}(?:the )?({_DAY}){_OF}(?:{_GAP}|{_LONG_WAY})({_YEAR})")
_RIGHT_YEAR = re.compile(rf"(?:{_GAP}|{_LONG_WAY})({_YEAR})")
_RIGHT_DAY = re.compile(rf"{_GAP}({_DAY})")
_LEFT_DAY = re.compile(
    rf"(?<!\d)(?:(\d{{1,2}}){_OF}?[^\w]{{0,3}}-[^\w]{{0,3}})?(?<![\d])({_DAY})(?:{_OF}|{_GAP})[^\w]{{0,4}}\Z"
)
_LEFT_YEAR = re.compile(rf"(?<!\d)(\d{{4}}){_GAP}[^\w]{{0,4}}\Z")
_LEFT_YEAR_DAY = re.compile(rf"(?<!\d)(\d{{4}}){_GAP}({_DAY}){_GAP}[^\w]{{0,4}}\Z")
_RANGE_RIGHT = re.compile(rf"[^\w]{{0,4}}(\d{{1,2}})(?:st|nd|rd|th)?\s?-\s?(\d{{1,2}}){_OF}{_GAP}({_YEAR})")
_SHORT_RIGHT = re.compile(rf"[^\w\n]{{0,3}}'?({_SHORT_YEAR})")
_SHORT_RIGHT_DAY = re.compile(rf"[^\w\n]{{0,3}}(\d{{1,2}})(?:st|nd|rd|th)?[^\w\n]{{1,3}}'?({_SHORT_YEAR})")
_SHORT_LEFT_DAY = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?[^\w\n]{0,3}\Z")


def scan(text: str, names: Names) -> list[DateMention]:
    """Every date in the folded text whose month is one of `names`."""
    found: list[DateMention] = []
    for match in _WORD.finditer(text):
        if entry := names.get(match[0]):
            found += _around(text, match.start(), entry)
    return found


def _around(text: str, at: int, entry: tuple[tuple[str, int], ...]) -> Iterator[DateMention]:
    for name, month in entry:
        start = at - name.index(_first_word(name))
        if start < 0 or not text.startswith(name, start):
            continue
        end = start + len(name)
        end += text[end : end + 1] == "."
        found = list(_dates(text, start, end, month))
        if found:
            yield from found
        longest = len(name)
        if any(len(other) < longest for other, _ in entry) and found:
            return


def _first_word(name: str) -> str:
    match = _WORD.search(name)
    return match[0] if match else name


def _dates(text: str, start: int, end: int, month: int) -> Iterator[DateMention]:
    low, high = max(0, start - _NEAR), min(len(text), end + _NEAR)
    seen = False
    for first, last, day in _full_years(text, start, end, low, high, month):
        seen = True
        yield DateMention(first, last, (("named", day),))
    if not seen:
        for first, last, day in _short_years(text, start, end, low, high, month):
            yield DateMention(first, last, (("named", day),))


Found = Iterator[tuple[int, int, date]]


def _full_years(text: str, start: int, end: int, low: int, high: int, month: int) -> Found:
    before = _LEFT_DAY.search(text, low, start)
    after = _RIGHT_YEAR.match(text, end, high)
    if before and after:
        for group in (1, 2):
            yield from _one(before.start(), after.end(), after[1], month, before[group])
    if both := _RIGHT_DAY_YEAR.match(text, end, high):
        yield from _one(start, both.end(), both[2], month, both[1])
    if span := _RANGE_RIGHT.match(text, end, high):
        for group in (1, 2):
            yield from _one(start, span.end(), span[3], month, span[group])
    if (year := _LEFT_YEAR.search(text, low, start)) and (day := _RIGHT_DAY.match(text, end, high)):
        yield from _one(year.start(), day.end(), year[1], month, day[1])
    if ahead := _LEFT_YEAR_DAY.search(text, low, start):
        yield from _one(ahead.start(), end, ahead[1], month, ahead[2])


def _short_years(text: str, start: int, end: int, low: int, high: int, month: int) -> Found:
    before = _SHORT_LEFT_DAY.search(text, low, start)
    after = _SHORT_RIGHT.match(text, end, high)
    if before and after:
        yield from _one(before.start(), after.end(), after[1], month, before[1])
    elif both := _SHORT_RIGHT_DAY.match(text, end, high):
        yield from _one(start, both.end(), both[2], month, both[1])


def _one(start: int, end: int, year: str | None, month: int, day: str | None) -> Found:
    if not year or not day:
        return
    number = int(day) if day.isdecimal() else DAYS.get(re.sub(r"\W+", "-", day))
    if number and (found := make(year_of(year), month, number)):
        yield start, end, found

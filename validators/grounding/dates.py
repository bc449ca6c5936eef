"""Dates as they are written: every mention with all its readings, by the order of day, month and year.

Here those in digits alone: "05.06.2018", "2018年6月5日", "20180605", and ranges ("01.-15.03.2024").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

_NUMERIC = re.compile(r"(\d{1,4})(\s?[.,/-]\s?|[ ])(\d{1,2})(\s?[.,/-]\s?|[ ])(\d{4}|\d{1,2})(?![.,/-]?\d)")
_EAST = re.compile(
    r"(\d{4}|\d{2})\s{0,2}[年년]\s{0,2}(\d{1,2})\s{0,2}[月월]\s{0,2}(\d{1,2})\s{0,2}[日일号號]?"
)
_EIGHT = re.compile(r"\d{8,}")
_JOINED = re.compile(r"\d[./-]?\Z")
_RANGE = re.compile(r"(?<!\d)(\d{1,2})[./](?:(\d{1,2})[./])?\s{0,2}-\s{0,2}\Z")
PIVOT = 69
"""Two-digit years up to this are 20yy, later ones 19yy (POSIX strptime)."""


@dataclass(frozen=True, slots=True)
class DateMention:
    """One date in the folded text: its range, and its reading under each order that gives a real date."""

    start: int
    end: int
    readings: tuple[tuple[str, date], ...]

    @property
    def dates(self) -> frozenset[date]:
        """The different dates that it can be."""
        return frozenset(day for _, day in self.readings)


def make(year: str | int, month: str | int, day: str | int) -> date | None:
    """The date, or None if there is no such day. A year of two digits is widened."""
    number = int(year)
    if isinstance(year, str) and len(year) <= 2:
        number += 2000 if number <= PIVOT else 1900
    try:
        return date(number, int(month), int(day))
    except ValueError:
        return None


def scan_numeric(text: str) -> list[DateMention]:
    """Every date written in digits alone, in the folded text."""
    found: list[DateMention] = []
    for match in _NUMERIC.finditer(text):
        first, left, second, right, third = match.groups()
        if not _parted(left.strip(), right.strip(), max(len(first), len(third)) == 4):
            continue
        if len(first) == 3 or _JOINED.search(text, max(0, match.start() - 2), match.start()):
            continue
        if readings := _orders(first, second, third, left.strip()):
            found.append(DateMention(match.start(), match.end(), readings))
            found += _range_start(text, match.start(), found[-1])
    if "年" in text or "년" in text:
        found += _scan_east(text)
    found += _scan_compact(text)
    return found


def _parted(left: str, right: str, long_year: bool) -> bool:
    """Whether three numbers are parted as a date's are: alike, or the year by a space ("9/3 2024")."""
    if left == right:
        return bool(left) or long_year
    return not right and left in "./" and long_year


def _orders(first: str, second: str, third: str, mark: str) -> tuple[tuple[str, date], ...]:
    """The readings of three numbers. A year in front is only read so where it has four digits, or must be.

    Points part days, months and years in this order wherever they are written.
    """
    if len(first) == 4:
        if len(third) == 4:
            return ()
        tries = [("ymd", (first, second, third))]
    else:
        tries = [("dmy", (third, second, first)), ("mdy", (third, first, second))]
    found = [(order, day) for order, parts in tries if (day := make(*parts))]
    if mark == "." and len(found) == 2:
        return (found[0],)
    if len(first) == 2 and len(third) <= 2 and (day := make(first, second, third)):
        found.append(("ymd", day))
    return tuple(found)


def _range_start(text: str, start: int, end: DateMention) -> Iterator[DateMention]:
    """The first day of "01.-15.03.2024" or "01.03.-15.03.2024": its year and month stand in the second."""
    before = _RANGE.search(text, max(0, start - 10), start)
    if not before:
        return
    readings = []
    for order, day in end.readings:
        month = before[2] if before[2] and order == "dmy" else day.month
        if first := make(day.year, month, before[1]):
            readings.append((order, first))
    if readings:
        yield DateMention(before.start(), end.end, tuple(readings))


def _scan_east(text: str) -> Iterator[DateMention]:
    for match in _EAST.finditer(text):
        if day := make(*match.groups()):
            yield DateMention(match.start(), match.end(), (("named", day),))


def _scan_compact(text: str) -> Iterator[DateMention]:
    """Eight digits alone: year first, else day first, in this century or the last."""
    for match in _EIGHT.finditer(text):
        digits = match[0]
        if len(digits) != 8:
            continue
        year, day = (digits[:4], digits[6:]) if digits[:2] in ("19", "20") else (digits[4:], digits[:2])
        month = digits[4:6] if digits[:2] in ("19", "20") else digits[2:4]
        if 1900 <= int(year) < 2100 and (found := make(year, month, day)):
            yield DateMention(match.start(), match.end(), (("compact", found),))

"""Dates as they are written: every mention with all its readings, by the order of day, month and year.

Here those without a month's name: "05.06.2018", "9.III.2024", "20180605", ranges ("01.-15.03.2024").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from validators.grounding import east_dates

_NUMERIC = re.compile(r"(\d\d{0,3})(\s?[.,/-]\s?|[ ])(\d{1,2})(\s?[.,/-]\s?|[ ])(\d{4}|\d{1,2})(?![.,/-]?\d)")
ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_ROMAN = re.compile(
    r"(\d(?<![\d.,/-]\d)\d?)(?:([./-])\s?|\s(?=[ivx]{2}))([ivx]{1,4})(?(2)\s?\2\s?|\s)(\d{4})(?!\d)"
)
_WORDED = (
    (" st. ", re.compile(r"(?<![\d.])(?P<d>\d{1,2})\.(?P<m>\d{1,2}) st\. (?P<y>\d{4})(?!\d)")),
    (
        "tenpo",
        re.compile(r"#(?P<y>\d{4}) la (?:\w+ ){1,3}#(?P<m>\d{1,2}) la (?:\w+ ){1,3}#(?P<d>\d{1,2})(?!\d)"),
    ),
)
"""Languages that part a date's numbers by words (Prussian, Toki Pona): what shows them, the pattern."""
_EIGHT = re.compile(r"\d{8,}")
_JOINED = re.compile(r"\d[./-]?\Z")
_RANGE = re.compile(r"(?<![\d./-])(\d{1,2})[./](?:(\d{1,2})[./]?)?\s{0,2}-\s{0,2}\Z")
PIVOT = 69
"""Two-digit years up to this are 20yy, later ones 19yy (POSIX strptime)."""

BUDDHIST = range(2443, 2700)
"""Years that are counted by the Buddhist era, as in Thailand: 543 ahead."""


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
    if number in BUDDHIST:
        number -= 543
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
        if len(first) == 3 or _joined(text, match.start()):
            continue
        mark = left.strip() + text[match.end() : match.end() + 1]
        if readings := _orders(first, second, third, mark):
            found.append(DateMention(match.start(), match.end(), readings))
            found += _range_start(text, match.start(), found[-1])
    if "年" in text or "년" in text:
        found += _scan_east(text)
    found += _scan_roman(text)
    for hint, pattern in _WORDED:
        found += _scan_worded(pattern, text) if hint in text else ()
    found += _scan_compact(text)
    return found


def _joined(text: str, start: int) -> bool:
    """Whether digits run on before a date, other than those of a range's first day."""
    if not _JOINED.search(text, max(0, start - 2), start):
        return False
    return not _RANGE.search(text, max(0, start - 10), start)


def _parted(left: str, right: str, long_year: bool) -> bool:
    """Whether three numbers are parted as a date's are: alike, or the year by a space ("9/3 2024")."""
    if left == right:
        return bool(left) or long_year
    return not right and left in "./" and long_year


def _orders(first: str, second: str, third: str, mark: str) -> tuple[tuple[str, date], ...]:
    """The readings of three numbers. A year in front is only read so where it has four digits, or must be.

    Points part days, months and years in this order wherever they are written, but with a point behind the
    third as well years may come first. `mark` is what parts them, and the character that follows.
    """
    if len(first) == 4:
        if len(third) == 4:
            return ()
        tries = [("ymd", (first, second, third))]
    else:
        tries = [("dmy", (third, second, first)), ("mdy", (third, first, second))]
    found = [(order, day) for order, parts in tries if (day := make(*parts))]
    if mark[:1] == "." and found:
        found = found[:1]
        if mark != "..":
            return tuple(found)
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
        parts = (before[2] or day.month, before[1])
        if first := make(day.year, *(parts[::-1] if before[2] and order == "mdy" else parts)):
            readings.append((order, first))
    if readings:
        yield DateMention(before.start(), end.end, tuple(readings))


def _scan_east(text: str) -> Iterator[DateMention]:
    for start, end, *parts in east_dates.scan(text):
        if day := make(*parts):
            yield DateMention(start, end, (("named", day),))


def _scan_roman(text: str) -> Iterator[DateMention]:
    """Months in Roman numerals: "9.III.2024", "9 XII 2024"."""
    for match in _ROMAN.finditer(text):
        if day := make(match[4], _roman(match[3]), match[1]):
            yield DateMention(match.start(), match.end(), (("named", day),))


def _scan_worded(pattern: re.Pattern[str], text: str) -> Iterator[DateMention]:
    for match in pattern.finditer(text):
        if day := make(match["y"], match["m"], match["d"]):
            yield DateMention(match.start(), match.end(), (("named", day),))


def _roman(written: str) -> int:
    """The month that a Roman numeral names; 0, which is none, for another."""
    return ROMAN.index(written) + 1 if written in ROMAN else 0


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

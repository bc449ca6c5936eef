"""The patterns around a month's name: where its day and its year may stand, and what may lie between.

English is strict: only punctuation, endings ("31st") and set words ("day of", "in the year of our lord").
Other languages put words of their own between ("2024 m. kovo 9 d."): those that CLDR's date formats hold, and
those for "year".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from validators.grounding.date_spans import first_days
from validators.grounding.dates import make
from validators.grounding.folding import folded
from validators.grounding.number_words import DAY_WORDS, DAYS, YEAR_WORDS, year_of

NEAR = 48
"""Furthest that a day or a year stands from its month, in characters."""
_TIGHT = r"[^\w]{0,4}"
_BETWEEN = """
ค ศ พ 年 月 日 년 일 di u г ел ê a an ж ጋላሳ dä de do m d ی й ܒ del аз dl lia འ ཚ ས ལ
ཟ su ግርጋ lyɛ na መዓልት dal טן la ท оны ын гараг ч le л ዮም mh den id р թ e ko ren ш
نچی ییل کونی ils ב die сыл күнэ mettas st gada ne ta sike suno tenpo ᠣᠨ ᠤ ᠢᠢᠨ
ᠭᠠᠷᠠᠭ ᠤᠩ af og dnia dne roku rok r року года год god godine g anno anul jahr
jahres jaar année año ano év vuonna
"""
_ALTERNATIVES = "|".join(sorted(folded(_BETWEEN).split(), key=len, reverse=True))
_WIDE = rf"[^\w]{{0,4}}(?:(?:{_ALTERNATIVES})(?![a-z])[^\w]{{0,4}}){{0,2}}?"
_OF = r"(?:st|nd|rd|th|er|º|°)?(?:[^\w]{0,3}(?:day|of|the|month|de|del)\b){0,5}"
_LONG_WAY = r"[^\w]{0,4}(?:(?:of|in|the|year|our|lord|a\.?d|de|del)\b[^\w]{1,3}){0,6}"
_DAY = rf"(?:\d{{1,2}}(?!\d)|{DAY_WORDS})"
_ANY_YEAR = re.compile(r"\d{4}|thousand|nineteen|twenty")
_TO = r"(?:\s?-\s?|\s(?:to|and|until|bis|und|au|et|al|y|a|e|do|tot|en)\s)"
_YEAR = rf"(?:\d{{4}}(?!\d)|{YEAR_WORDS})"

Found = Iterator[tuple[int, int, date]]


@dataclass(frozen=True)
class Surroundings:
    """The compiled patterns of one width of gap; each names the day and the year by its groups."""

    left_day: re.Pattern[str]
    right_year: re.Pattern[str]
    right_day_year: re.Pattern[str]
    right_range: re.Pattern[str]
    left_year: re.Pattern[str]
    right_day: re.Pattern[str]
    left_year_day: re.Pattern[str]

    @classmethod
    def of(cls, gap: str) -> Surroundings:
        """The patterns with `gap` between the parts."""
        ordinal = r"(?:st|nd|rd|th)?"
        parts = (
            rf"(?<!\d)(?:(\d{{1,2}}){ordinal}\.?{_TO})?(?<!\d)({_DAY}){_OF}{gap}\Z",
            rf"(?:{gap}|{_LONG_WAY})({_YEAR})",
            rf"[^\w]{{0,4}}(?:the )?({_DAY}){_OF}(?:{gap}|{_LONG_WAY})({_YEAR})",
            rf"[^\w]{{0,4}}(\d{{1,2}}){ordinal}{_TO}(\d{{1,2}}){_OF}{gap}({_YEAR})",
            rf"(?<!\d)(\d{{4}}){gap}\Z",
            rf"{gap}({_DAY})",
            rf"(?<!\d)(\d{{4}}){gap}({_DAY}){gap}\Z",
        )
        return cls(*map(re.compile, parts))

    def around(self, text: str, start: int, end: int, month: int) -> Found:
        """Every (start, end, date) whose month is named at [start, end) and whose year has four digits."""
        low, high = max(0, start - NEAR), min(len(text), end + NEAR)
        if not _ANY_YEAR.search(text, low, high):
            return
        before = self.left_day.search(text, low, start)
        after = self.right_year.match(text, end, high)
        if before and after:
            for group in (1, 2):
                yield from _one(before.start(), after.end(), after[1], month, before[group])
        if both := self.right_day_year.match(text, end, high):
            yield from _one(start, both.end(), both[2], month, both[1])
        if days := self.right_range.match(text, end, high):
            for group in (1, 2):
                yield from _one(start, days.end(), days[3], month, days[group])
        if not after:
            yield from self._year_elsewhere(text, start, end, month)

    def _year_elsewhere(self, text: str, start: int, end: int, month: int) -> Found:
        """The year comes first, or behind the last day of a range that ends in another month."""
        for first, last, written, number in first_days(text, start, end, month):
            yield from _one(first, last, written, month, number)
        low, high = max(0, start - NEAR), min(len(text), end + NEAR)
        year, day = self.left_year.search(text, low, start), self.right_day.match(text, end, high)
        if year and day:
            yield from _one(year.start(), day.end(), year[1], month, day[1])
        if ahead := self.left_year_day.search(text, low, start):
            yield from _one(ahead.start(), end, ahead[1], month, ahead[2])


TIGHT = Surroundings.of(_TIGHT)
WIDE = Surroundings.of(_WIDE)

_SHORT_YEAR = r"'?(\d\d)(?!\d)"
_SHORT_RIGHT = re.compile(rf"[^\w\n]{{0,3}}{_SHORT_YEAR}")
_SHORT_RIGHT_DAY = re.compile(rf"[^\w\n]{{0,3}}(\d{{1,2}})(?:st|nd|rd|th)?[^\w\n]{{1,3}}{_SHORT_YEAR}")
_SHORT_LEFT_DAY = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?[^\w\n]{0,3}\Z")


def short_years(text: str, start: int, end: int, month: int) -> Found:
    """The same for years of two digits: "18-mar-18", "Mar 18, '18"."""
    before = _SHORT_LEFT_DAY.search(text, max(0, start - 8), start)
    after = _SHORT_RIGHT.match(text, end)
    if before and after:
        yield from _one(before.start(), after.end(), after[1], month, before[1])
    elif both := _SHORT_RIGHT_DAY.match(text, end):
        yield from _one(start, both.end(), both[2], month, both[1])


def _one(start: int, end: int, year: str, month: int, day: str | None) -> Found:
    if day is None:
        return
    number = int(day) if day.isdecimal() else DAYS.get(re.sub(r"\W+", "-", day))
    if number and (found := make(year_of(year), month, number)):
        yield start, end, found

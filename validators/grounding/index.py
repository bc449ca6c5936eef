"""The source index: one document's text as the look-ups need it, each part made when first asked for."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any

from schemas.records import Finding, Span
from validators.grounding import (
    dates,
    durations,
    lines,
    month_names,
    named_dates,
    number_context,
    numbers,
    region,
    spelled,
)
from validators.grounding.dates import DateMention
from validators.grounding.folding import Folded, fold
from validators.grounding.numbers import NumberMention
from validators.grounding.words import Words


class SourceIndex:
    """A document's text, indexed. Build it once a document; `locale` says how its dates are to be read."""

    def __init__(self, text: str, locale: str | None = None) -> None:
        self.text = text
        self.locale = locale
        self._known: dict[Callable[[Any], Iterable[Finding]], tuple[Finding, ...]] = {}

    def once(self, findings: Callable[[SourceIndex], Iterable[Finding]]) -> tuple[Finding, ...]:
        """What a rule finds in the document whatever the answer: looked for at the first answer alone."""
        if findings not in self._known:
            self._known[findings] = tuple(findings(self))
        return self._known[findings]

    @cached_property
    def folded(self) -> Folded:
        """The text as it compares, with its map back."""
        return fold(self.text)

    @cached_property
    def words(self) -> Words:
        """Its words, squeezed."""
        return Words(self.folded)

    @cached_property
    def _number_places(self) -> dict[str, list[tuple[int, int]]]:
        return numbers.places(self.folded.text)

    @cached_property
    def plain_words(self) -> Words:
        """Its words without accents, at the same offsets."""
        return self.words if self.folded.text.isascii() else Words(self.folded.unaccented())

    def numbers(self, value: Decimal | int) -> Iterator[NumberMention]:
        """Every place where a magnitude is written, under any reading."""
        key = numbers.value_key(value)
        for start, end in self._number_places.get(numbers.core(key), ()):
            if mention := numbers.mention(self.folded.text, start, end, key):
                yield mention

    @cached_property
    def spelled_numbers(self) -> Mapping[Decimal | int, list[tuple[int, int]]]:
        """Number -> where it is written in English words, or with a fraction's sign."""
        found: dict[Decimal | int, list[tuple[int, int]]] = defaultdict(list)
        for start, end, value in spelled.scan(self.folded.text):
            found[value].append((start, end))
        return found

    def part_of(self, mention: NumberMention) -> str | None:
        """What a mention of bare digits belongs to instead of being a number: a date, a code."""
        text = self.folded.text
        if not text[mention.start : mention.end].isdecimal():
            return None
        at = bisect_right(self._date_ranges, (mention.start, len(text))) - 1
        if at >= 0 and mention.end <= self._date_ranges[at][1]:
            return "a date"
        return number_context.part_of(text, mention.start, mention.end)

    @cached_property
    def _date_ranges(self) -> list[tuple[int, int]]:
        """Where dates are written, in order; rows of numbers that may be dates are left out."""
        ranges = {(m.start, m.end) for found in self.dates.values() for m in found}
        text = self.folded.text
        return sorted(place for place in ranges if not text[slice(*place)].replace(" ", "").isdecimal())

    @cached_property
    def decimal_mark(self) -> str | None:
        """The mark before cents where the numbers agree on one: what "1.234" means turns on it."""
        return numbers.decimal_mark(self.folded.text)

    @cached_property
    def dates(self) -> Mapping[date, list[DateMention]]:
        """Date -> where it is written in digits or in English, under any reading."""
        mentions = dates.scan_numeric(self.folded.text)
        return _by_date(mentions + named_dates.scan(self.folded.text))

    def local_dates(self, locale: str | None) -> Mapping[date, list[DateMention]]:
        """Date -> where it is written with a month's name of one locale."""
        names = month_names.of_locale(locale)
        return _by_date(named_dates.scan_local(self.folded.text, names)) if names else {}

    @cached_property
    def foreign_dates(self) -> Mapping[date, list[DateMention]]:
        """Date -> where it is written with a month's name of any language."""
        return _by_date(named_dates.scan_foreign(self.folded.text, month_names.everywhere()))

    @cached_property
    def date_votes(self) -> frozenset[str]:
        """The orders (`dmy`, `mdy`) that the document's own unmistakable numeric dates are written in."""
        return self._votes({"dmy", "mdy", "ymd"})

    @cached_property
    def likely_votes(self) -> frozenset[str]:
        """The same with those of dates such as "25/12/24", which begin with a day unless with a year."""
        return self._votes({"dmy", "mdy"})

    def _votes(self, orders: set[str]) -> frozenset[str]:
        mentions = {mention for found in self.dates.values() for mention in found}
        readings = [{order for order, _ in m.readings if order in orders} for m in mentions]
        return frozenset().union(*(found for found in readings if len(found) == 1)) & {"dmy", "mdy"}

    @cached_property
    def region_order(self) -> str | None:
        """The order of day and month that the document's own country writes, where it shows one."""
        return region.date_order(self.folded.text)

    def date_order(self, locale: str | None) -> str | None:
        """How a date of two readings is read: by the document's other dates, the locale, or its country."""
        if len(self.date_votes) == 1:
            return next(iter(self.date_votes))
        if order := month_names.date_order(locale or self.locale):
            return order
        return next(iter(self.likely_votes)) if len(self.likely_votes) == 1 else self.region_order

    @cached_property
    def durations(self) -> list[tuple[int, int, tuple[int, str]]]:
        """Where a number of days, weeks, months or years is written, in digits or words."""
        return durations.scan(self.folded.text)

    @cached_property
    def line_starts(self) -> list[int]:
        """Original offsets at which lines begin."""
        return lines.line_starts(self.text)

    @cached_property
    def line_shapes(self) -> list[str]:
        """The shape of each line: what makes rows of one table alike."""
        return [lines.shape_of(line) for line in self.text.split("\n")]

    def line_of(self, span: Span) -> int:
        """The number of the line, from 0, in which a span begins."""
        return bisect_right(self.line_starts, span.start) - 1

    def span(self, start: int, end: int) -> Span:
        """The original range of a folded one."""
        return self.folded.span(start, end)

    def word_span(self, start: int, end: int) -> Span:
        """The original range of a squeezed one."""
        return self.folded.span(*self.words.place(start, end))


def _by_date(mentions: list[DateMention]) -> Mapping[date, list[DateMention]]:
    found: dict[date, list[DateMention]] = defaultdict(list)
    for mention in mentions:
        for day in {day for _, day in mention.readings}:
            found[day].append(mention)
    return found

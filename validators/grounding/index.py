"""The source index: one document's text as the look-ups need it, each part made when first asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import date
from functools import cached_property

from schemas.records import Span
from validators.grounding import dates, month_names, named_dates, numbers
from validators.grounding.dates import DateMention
from validators.grounding.folding import Folded, fold
from validators.grounding.numbers import NumberMention
from validators.grounding.words import Words


class SourceIndex:
    """A document's text, indexed. Build it once a document; `locale` says how its dates are to be read."""

    def __init__(self, text: str, locale: str | None = None) -> None:
        self.text = text
        self.locale = locale

    @cached_property
    def folded(self) -> Folded:
        """The text as it compares, with its map back."""
        return fold(self.text)

    @cached_property
    def words(self) -> Words:
        """Its words, squeezed."""
        return Words(self.folded)

    @cached_property
    def numbers(self) -> Mapping[str, list[NumberMention]]:
        """Canonical magnitude -> where it is written."""
        found: dict[str, list[NumberMention]] = defaultdict(list)
        for mention in numbers.scan(self.folded.text):
            for key in mention.keys:
                found[key].append(mention)
        return found

    @cached_property
    def dates(self) -> Mapping[date, list[DateMention]]:
        """Date -> where it is written in digits or in English, under any reading."""
        mentions = dates.scan_numeric(self.folded.text)
        return _by_date(mentions + named_dates.scan(self.folded.text, month_names.english()))

    @cached_property
    def foreign_dates(self) -> Mapping[date, list[DateMention]]:
        """Date -> where it is written with a month's name of any language."""
        return _by_date(named_dates.scan(self.folded.text, month_names.everywhere()))

    @cached_property
    def date_votes(self) -> frozenset[str]:
        """The orders (`dmy`, `mdy`) that the document's own unmistakable numeric dates are written in."""
        mentions = [mention for found in self.dates.values() for mention in found]
        sure = {order for m in mentions if len(m.readings) == 1 for order, _ in m.readings}
        return frozenset(sure & {"dmy", "mdy"})

    def date_order(self, locale: str | None) -> str | None:
        """How a date of two readings is read here: by the document's other dates, else by the locale."""
        if len(self.date_votes) == 1:
            return next(iter(self.date_votes))
        return month_names.date_order(locale or self.locale)

    def span(self, start: int, end: int) -> Span:
        """The original range of a folded one."""
        return self.folded.span(start, end)

    def word_span(self, start: int, end: int) -> Span:
        """The original range of a squeezed one."""
        return self.folded.span(*self.words.place(start, end))


def _by_date(mentions: list[DateMention]) -> Mapping[date, list[DateMention]]:
    found: dict[date, list[DateMention]] = defaultdict(list)
    for mention in mentions:
        for day in mention.dates:
            found[day].append(mention)
    return found

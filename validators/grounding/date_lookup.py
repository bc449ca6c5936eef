"""Looking up a date: certain, ambiguous or absent."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from schemas.records import Match
from validators.grounding.dates import DateMention
from validators.grounding.index import SourceIndex
from validators.grounding.lookup import ABSENT, Lookup, found
from validators.grounding.month_names import year_last_order


def look_up(value: date, index: SourceIndex, locale: str | None = None) -> Lookup:
    """Find a date in any written form. One that can be read two ways counts only where the order is known."""
    best = ABSENT
    for mentions in _tables(value, index, locale):
        sure = [mention for mention in mentions if _means(mention, value, index, locale)]
        if sure:
            return found([index.span(m.start, m.end) for m in sure], index.text, value.isoformat())
        if mentions and best is ABSENT:
            best = _doubtful(mentions, index, locale)
    return best


def _tables(value: date, index: SourceIndex, locale: str | None) -> Iterator[list[DateMention]]:
    """The mentions of a date, the likeliest languages first; the others are only read if these fail."""
    if locale and not locale.startswith("en"):
        yield index.local_dates(locale).get(value, [])
    yield index.dates.get(value, [])
    yield index.foreign_dates.get(value, [])


def _means(mention: DateMention, value: date, index: SourceIndex, locale: str | None) -> bool:
    return len(mention.dates) == 1 or resolve(mention, _order(mention, index, locale)) == value


def _order(mention: DateMention, index: SourceIndex, locale: str | None) -> str | None:
    """The order in which a mention is read. Where the year is known to come first and comes last, the locale
    may still know which of day and month is the first."""
    order = index.date_order(locale)
    if order == "ymd" and all(reading != "ymd" for reading, _ in mention.readings):
        return year_last_order(locale or index.locale) or order
    return order


def resolve(mention: DateMention, order: str | None) -> date | None:
    """The one date that a mention means under an order; None if that is not known."""
    readings = dict(mention.readings)
    if order in readings:
        return readings[order]
    plain = {day for name, day in mention.readings if name != "ymd"} or set(readings.values())
    return next(iter(plain)) if len(plain) == 1 else None


def _doubtful(mentions: list[DateMention], index: SourceIndex, locale: str | None) -> Lookup:
    mention = mentions[0]
    order = _order(mention, index, locale)
    open_ = [m for m in mentions if resolve(m, _order(m, index, locale)) is None]
    spans = tuple(index.span(m.start, m.end) for m in open_)
    if not spans:
        written = index.folded.text[mention.start : mention.end]
        return Lookup(
            Match.ABSENT, note=f"{written!r} is read {order} here, so it is {resolve(mention, order)}"
        )
    both = " or ".join(sorted(day.isoformat() for day in open_[0].dates))
    written = index.text[spans[0].start : spans[0].end]
    return Lookup(Match.AMBIGUOUS, spans, None, f"{written!r} can be read as {both}")

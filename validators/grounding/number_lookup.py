"""Looking up a number: exact by value, in any style of writing, never fuzzy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from itertools import islice

from babel.numbers import get_decimal_symbol

from schemas.records import Match
from validators.grounding import spelled
from validators.grounding.index import SourceIndex
from validators.grounding.lookup import ABSENT, Lookup, found
from validators.grounding.month_names import parse_locale
from validators.grounding.numbers import NumberMention, value_key

MOST = 512
"""Mentions of one number that are looked at; more of them say nothing new."""


def look_up(
    value: Decimal | int, index: SourceIndex, scale: Decimal | None = None, locale: str | None = None
) -> Lookup:
    """Find a number. `scale` is what a printed number is multiplied by. A number of two readings ("1.234") is
    read as the document's other numbers are, else by the locale; where both leave it open, either will do.
    """
    number = Decimal(value)
    mentions = list(islice(_mentions(number, index, scale), MOST))
    mark = index.decimal_mark or decimal_mark(locale or index.locale)
    meant = [mention for mention in mentions if _means(mention, number, scale, mark)]
    if free := [mention for mention in meant if not index.part_of(mention)]:
        return _judge(value, free, index, sure=mark is not None)
    if (other := _otherwise(number, index, whole=isinstance(value, int))).match is not Match.ABSENT:
        return other
    return _bound(value, meant, index) if meant else _misread(value, mentions, index)


def _mentions(value: Decimal, index: SourceIndex, scale: Decimal | None) -> Iterator[NumberMention]:
    if scale and scale != 1:
        yield from index.numbers(value / scale)
    yield from index.numbers(value)


def _means(mention: NumberMention, value: Decimal, scale: Decimal | None, mark: str | None) -> bool:
    """Whether a mention is read as the value, or as what the scale makes the value, under a decimal mark."""
    if len(mention.keys) < 2 or mark is None:
        return True
    key = mention.keys[0] if mention.mark == mark else mention.keys[1]
    return key in {value_key(value), value_key(value / scale) if scale else ""}


@lru_cache(maxsize=256)
def decimal_mark(tag: str | None) -> str | None:
    """A locale's decimal mark; None for an unknown locale."""
    locale = parse_locale(tag)
    return str(get_decimal_symbol(locale)) if locale else None


def _otherwise(value: Decimal, index: SourceIndex, *, whole: bool) -> Lookup:
    """A number in words or with a fraction's sign, or with a word such as "million" behind it."""
    places = [
        place
        for place in index.spelled_numbers.get(value, ())
        if whole or spelled.counts(index.folded.text, *place)
    ]
    for number, scale in spelled.scaled(value):
        places += [(m.start, m.end) for m in islice(index.numbers(number), MOST) if _scaled(m, scale, index)]
    return found([index.span(*place) for place in places], index.text, str(value)) if places else ABSENT


def _scaled(mention: NumberMention, scale: int, index: SourceIndex) -> bool:
    word = spelled.AFTER.match(index.folded.text, mention.end)
    return word is not None and spelled.SCALES[word[1]] == scale


def _bound(value: Decimal | int, mentions: list[NumberMention], index: SourceIndex) -> Lookup:
    """Digits that belong to something else. A whole number (a year) may be meant by them, an amount is not.

    A zero is doubted alone: nothing prepaid, nothing due are rarely printed at all.
    """
    first = mentions[0]
    note = f"{index.text[slice(*_range(first, index))]!r} stands there, as part of {index.part_of(first)}"
    if value and not isinstance(value, int):
        return Lookup(Match.ABSENT, note=note)
    return replace(_judge(value, mentions, index, sure=True), warning=note)


def _range(mention: NumberMention, index: SourceIndex) -> tuple[int, int]:
    span = index.span(mention.start, mention.end)
    return span.start, span.end


def _misread(value: Decimal | int, mentions: list[NumberMention], index: SourceIndex) -> Lookup:
    if not mentions:
        return ABSENT
    written = index.folded.text[mentions[0].start : mentions[0].end]
    other = next((key for key in mentions[0].keys if key != value_key(value)), None)
    return Lookup(Match.ABSENT, note=f"{written!r} is read as {other} here")


def _judge(value: Decimal | int, mentions: list[NumberMention], index: SourceIndex, *, sure: bool) -> Lookup:
    signed = [mention for mention in mentions if mention.negative == (value < 0)]
    if not signed and value < 0:
        return Lookup(Match.ABSENT, note=f"{abs(value)} stands there, without a minus")
    best = found([index.span(m.start, m.end) for m in signed or mentions], index.text, str(value))
    warning = None
    if not signed and value:
        warning = f"printed with a minus, read as {value}"
    elif not sure and all(len(mention.keys) > 1 for mention in mentions):
        warning = f"printed so that it can be read as {' or '.join(mentions[0].keys)}"
    return replace(best, warning=warning)

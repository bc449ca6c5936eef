"""Looking up a number: exact by value, in any style of writing, never fuzzy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache

from babel.numbers import get_decimal_symbol

from validators.grounding.index import SourceIndex
from validators.grounding.lookup import ABSENT, Lookup, found
from validators.grounding.month_names import parse_locale
from validators.grounding.numbers import NumberMention, value_key


def look_up(
    value: Decimal | int, index: SourceIndex, scale: Decimal | None = None, locale: str | None = None
) -> Lookup:
    """Find a number. `scale` is what a printed number is multiplied by. A number of two readings ("1.234") is
    read as the document's other numbers are, else by the locale; where both leave it open, either will do.
    """
    mentions = list(_mentions(Decimal(value), index, scale))
    if not mentions:
        return ABSENT
    mark = index.decimal_mark or decimal_mark(locale or index.locale)
    meant = [mention for mention in mentions if _means(mention, Decimal(value), scale, mark)]
    if not meant:
        written = index.folded.text[mentions[0].start : mentions[0].end]
        other = next((key for key in mentions[0].keys if key != value_key(value)), None)
        return Lookup(ABSENT.match, note=f"{written!r} is read as {other} here")
    return _judge(value, meant, index, sure=mark is not None)


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


def _judge(value: Decimal | int, mentions: list[NumberMention], index: SourceIndex, *, sure: bool) -> Lookup:
    signed = [mention for mention in mentions if mention.negative == (value < 0)]
    if not signed and value < 0:
        return Lookup(ABSENT.match, note=f"{abs(value)} stands there, without a minus")
    best = found([index.span(m.start, m.end) for m in signed or mentions], index.text, str(value))
    warning = None
    if not signed and value:
        warning = f"printed with a minus, read as {value}"
    elif not sure and all(len(mention.keys) > 1 for mention in mentions):
        warning = f"printed so that it can be read as {' or '.join(mentions[0].keys)}"
    return replace(best, warning=warning)

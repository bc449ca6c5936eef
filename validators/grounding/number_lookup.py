"""Looking up a number: exact by value, in any style of writing, never fuzzy."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from validators.grounding.index import SourceIndex
from validators.grounding.lookup import ABSENT, Lookup, found
from validators.grounding.numbers import NumberMention


def look_up(value: Decimal | int, index: SourceIndex, scale: Decimal | None = None) -> Lookup:
    """Find a number. `scale` is what a printed number is multiplied by; a percentage also is also a share."""
    mentions = list(_mentions(Decimal(value), index, scale))
    if not mentions:
        return ABSENT
    return _judge(value, mentions, index)


def _mentions(value: Decimal, index: SourceIndex, scale: Decimal | None) -> Iterator[NumberMention]:
    if scale and scale != 1:
        yield from index.numbers(value / scale)
    yield from index.numbers(value)


def _judge(value: Decimal | int, mentions: list[NumberMention], index: SourceIndex) -> Lookup:
    signed = [m for m in mentions if m.negative == (value < 0)]
    if not signed and value < 0:
        return Lookup(ABSENT.match, note=f"{abs(value)} stands there, without a minus")
    spans = [index.span(m.start, m.end) for m in signed or mentions]
    best = found(spans, index.text, str(value))
    if signed or not value:
        return best
    return Lookup(best.match, best.spans, best.score, warning=f"printed with a minus, read as {value}")

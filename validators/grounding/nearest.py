"""Which of several places a value has: the one nearest to the other fields of its row or object."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from schemas.records import Span

MOST_PLACES = 64
"""Places of one value that are weighed; more of them say nothing new."""


def choose(places: Sequence[Sequence[Span]]) -> list[Span | None]:
    """For each field of one object its places in the source; gives one for each, None where it has none.

    Each place of the rarest field is tried as the anchor, and the one whose fields lie closest together wins.
    """
    known = [sorted(spans, key=lambda span: span.start)[:MOST_PLACES] for spans in places]
    some = [spans for spans in known if spans]
    if not some:
        return [None] * len(known)
    anchors = min(some, key=len)
    best = min(anchors, key=lambda anchor: (_spread(anchor, some), anchor.start))
    return [_closest(spans, best) if spans else None for spans in known]


def _spread(anchor: Span, places: Sequence[Sequence[Span]]) -> int:
    return sum(distance(_closest(spans, anchor), anchor) for spans in places)


def _closest(spans: Sequence[Span], anchor: Span) -> Span:
    at = bisect_left(spans, anchor.start, key=lambda span: span.start)
    return min(spans[max(0, at - 1) : at + 2], key=lambda span: distance(span, anchor))


def distance(one: Span, other: Span) -> int:
    """Characters between two spans; 0 where they touch or overlap."""
    return max(0, one.start - other.end, other.start - one.end)

"""Ranges of dates over months: "March 9 - April 3, 2024", "9. März bis 3. April 2024".

The first day has no year of its own: it is the second's, or the one before where the second month is earlier.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from validators.grounding.month_names import everywhere

_ORDINAL = r"(?:st|nd|rd|th|er|º|°)?\.?"
_WORDS = "to|until|till|through|thru|bis|au|al|do|tot|t/m|a|até|hasta|à"
_TO = rf"[^\w]{{0,3}}(?:-|(?<!\w)(?:{_WORDS})(?!\w))[^\w]{{0,3}}"
_SECOND = re.compile(
    rf"{_TO}(?:the )?(?:\d{{1,2}}{_ORDINAL}[^\w]{{0,3}}(?:of |de )?)?([^\W\d_]{{3,12}})\.?[^\w]{{0,3}}"
    rf"(?:\d{{1,2}}{_ORDINAL}[^\w]{{1,3}})?(?:de |of )?(\d{{4}})(?!\d)"
)
_DAY_BEFORE = re.compile(rf"(?<![\d.,/-])(\d{{1,2}}){_ORDINAL}[^\w]{{0,2}}(?:of |de )?\Z")
_DAY_AFTER = re.compile(rf"[^\w]{{1,2}}(\d{{1,2}}){_ORDINAL}(?!\d)")
NEAR = 64
"""Furthest that the year stands from the first month, in characters."""


def first_days(text: str, start: int, end: int, month: int) -> Iterator[tuple[int, int, str, str]]:
    """(start, end, year, day) where the month named at [start, end) begins a range that ends in another."""
    if before := _DAY_BEFORE.search(text, max(0, start - 10), start):
        if second := _SECOND.match(text, end, end + NEAR):
            yield from _first(before.start(), second, before[1], month)
    elif (after := _DAY_AFTER.match(text, end)) and (
        second := _SECOND.match(text, after.end(), after.end() + NEAR)
    ):
        yield from _first(start, second, after[1], month)


def _first(start: int, second: re.Match[str], day: str, month: int) -> Iterator[tuple[int, int, str, str]]:
    months = {number for name, number in everywhere().get(second[1], ()) if name == second[1]}
    if months:
        earlier = max(months) < month
        if earlier or min(months) >= month:
            yield start, second.end(), str(int(second[2]) - earlier), day

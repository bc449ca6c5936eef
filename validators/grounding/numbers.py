"""Numbers as they are written: every mention with all its readings.

"1.234" is 1234 in one country and 1.234 in another; "1.234,56" can only be read one way. Groups may be parted
by point, comma, apostrophe or one space, in thousands or the Indian way (12,34,567.89).
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

_NUMBER = re.compile(r"\d\d*+(?:[.,'٫٬،⹁]\d+)*+")
_SPACED = re.compile(r"\d\d{0,2}(?: \d{3})++(?:[.,]\d+)?(?![.,]?\d)")
_CENTS = re.compile(r"\d([.,])\d\d(?![\d.,]\d|\d)")
_SEPARATORS = dict.fromkeys(map(ord, ".,'٫٬،⹁ "))
_POINT = re.compile(r"(?:\A|[\s($€£¥+-])\.\Z")
"""A point that begins a number: ".50"."""
LONGEST = 40
"""Longest run of digits that is a number to anyone; longer ones are left alone."""


@dataclass(frozen=True, slots=True)
class NumberMention:
    """One number in the folded text: its range, the canonical key of each reading, and its printed sign.

    `mark` is the last separator in it. With two readings the first takes it for the decimal mark, the second
    for one between groups.
    """

    start: int
    end: int
    keys: tuple[str, ...]
    mark: str
    negative: bool = False


def key(whole: str, fraction: str = "") -> str:
    """The canonical text of a magnitude: no leading zeros, no trailing ones after the point."""
    whole = whole.lstrip("0") or "0"
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


def value_key(value: Decimal | int) -> str:
    """The canonical text of a value's magnitude."""
    if isinstance(value, int):
        return str(abs(value))
    whole, _, fraction = f"{abs(value):f}".partition(".")
    return key(whole, fraction)


def core(written: str) -> str:
    """The significant digits of a number: what all its readings share, and none of another number."""
    return written.translate(_SEPARATORS).strip("0")


def places(text: str) -> dict[str, list[tuple[int, int]]]:
    """Core -> folded ranges where a number with these digits is written; linear in the text's length."""
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for match in _NUMBER.finditer(text):
        written = match[0]
        digits = written if written.isdecimal() else written.translate(_SEPARATORS)
        found[digits.strip("0")].append(match.span())
    for match in _SPACED.finditer(text):
        if match.start() and text[match.start() - 1] in "0123456789.,":
            continue
        found[match[0].translate(_SEPARATORS).strip("0")].append(match.span())
    return found


def decimal_mark(text: str) -> str | None:
    """`.` or `,`: what stands before two last digits in nine of ten numbers that have them, two at least."""
    marks = _CENTS.findall(text)
    points = marks.count(".")
    for mark, count in ((".", points), (",", len(marks) - points)):
        if count >= 2 and count >= 0.9 * len(marks):
            return mark
    return None


def mention(text: str, start: int, end: int, wanted: str | None = None) -> NumberMention | None:
    """What is written in a folded range, with all its readings; None where it is a date or a version, or
    where none of them is the key that is `wanted`."""
    keys = _readings(text[start:end].replace(" ", "'")) if end - start <= LONGEST else ()
    if start and text[start - 1] == "." and _POINT.search(text, max(0, start - 3), start):
        keys = (key("0", text[start:end]),) if text[start:end].isdecimal() else ()
    return _mention(text, start, end, keys) if keys and wanted in (None, *keys) else None


def readings(written: str) -> tuple[str, ...]:
    """All readings of digits with separators, canonical; empty where none makes sense (a date, a version)."""
    parts = re.split(r"[.,'٫٬،⹁]", written)
    marks = [char for char in written if not char.isdecimal()]
    if not marks:
        return (key(written),)
    last, others = marks[-1], set(marks[:-1])
    found: list[str] = []
    if last in ".,٫" and last not in others and len(others) <= 1 and _grouped(parts[:-1]):
        found.append(key("".join(parts[:-1]), parts[-1]))
    if len(set(marks)) == 1 and last != "٫" and parts[0] != "0" and _grouped(parts):
        found.append(key("".join(parts)))
    return tuple(found)


_readings = lru_cache(maxsize=4096)(readings)
"""Readings of what is no longer than LONGEST: a table repeats its numbers."""


def _grouped(parts: list[str]) -> bool:
    """Whether the parts are one number's groups: thousands, or two by two before the last three."""
    if len(parts) == 1:
        return True
    middle = {len(part) for part in parts[1:-1]}
    return len(parts[-1]) == 3 and 1 <= len(parts[0]) <= 3 and (middle <= {3} or middle <= {2})


def _mention(text: str, start: int, end: int, keys: tuple[str, ...]) -> NumberMention:
    after = text[end : end + 2]
    negative = False
    before = text[max(0, start - 8) : start]
    if "-" in before or "(" in before or after[:1] in "-)":
        negative = _negative(before, text[end : end + 8])
    mark = next((char for char in reversed(text[start:end]) if char in ".,'"), "")
    return NumberMention(start, end, keys, mark, negative)


_MINUS = re.compile(r"(?:\A|[^\w-])-\s?(?:[a-z]{1,3}\.?|[^\w\s])?\s?\Z")
_OPEN = re.compile(r"\([^\w(]{0,2}(?:[a-z]{1,3})?\s?\Z")


def _negative(before: str, after: str) -> bool:
    """Whether a minus before or after, or brackets around, belong to the number between the two texts."""
    if _MINUS.search(before) or re.match(r"-(?:\s|\Z|[^\w\s-])", after):
        return True
    return bool(_OPEN.search(before) and re.match(r"\s?(?:[a-z]{1,3}|[^\w\s)])?\)", after))

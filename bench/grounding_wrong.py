"""Believable wrong values, made from a true one and checked by plain search not to stand in the document."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from rapidfuzz import fuzz

from schemas.contract import Leaf

NAMES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
COUNTS = {str(count): name for count, name in enumerate(NAMES, 1)}


def wrong_values(leaf: Leaf, pool: list[Any], text: str, dice: random.Random) -> Iterator[tuple[str, Leaf]]:
    """(how it was made, leaf) for each wrong value that a plain search does not find in `text`."""
    for how, value in _made(leaf.value, pool, dice):
        if value != leaf.value and not _stands(value, text) and not _same(value, leaf.value, how):
            yield how, replace(leaf, value=value)


def _made(value: Any, pool: list[Any], dice: random.Random) -> Iterator[tuple[str, Any]]:
    for _ in range(3):
        yield "another's", dice.choice(pool)
    for _ in range(3):
        if (changed := _digit(value, dice)) is not None:
            yield "digit", changed
    if isinstance(value, str) and (swapped := _word(value, dice.choice(pool), dice)):
        yield "word", swapped
    if isinstance(value, date):
        yield from (("neighbour", value + timedelta(days=step)) for step in (-1, 1))
        if value.day <= 12:
            yield "swapped", value.replace(month=value.day, day=value.month)
    if isinstance(value, Decimal):
        yield from (("shifted", value * 10), ("shifted", value / 10), ("tax", round(value * 6 / 106, 2)))


def _digit(value: Any, dice: random.Random) -> Any:
    written = value.isoformat() if isinstance(value, date) else str(value)
    places = [at for at, char in enumerate(written) if char.isdecimal()]
    if not places:
        return None
    at = dice.choice(places)
    other = dice.choice([digit for digit in "0123456789" if digit != written[at]])
    changed = written[:at] + other + written[at + 1 :]
    try:
        return type(value)(changed) if not isinstance(value, date) else date.fromisoformat(changed)
    except ValueError:
        return None


def _word(value: str, other: str, dice: random.Random) -> str | None:
    """The value with one long word of it changed for one of another document's value."""
    mine, theirs = (re.findall(r"[^\W\d_]{4,}", text) for text in (value, other))
    if not mine or not theirs:
        return None
    return value.replace(dice.choice(mine), dice.choice(theirs), 1)


def _same(wrong: Any, true: Any, how: str) -> bool:
    """Whether two texts are the same name, spelt differently: as another document's label may be."""
    if not isinstance(wrong, str) or how in ("digit", "word"):
        return False
    return _digits(wrong) == _digits(true) and fuzz.ratio(_bare(wrong), _bare(true)) >= 88


def _stands(value: Any, text: str) -> bool:
    if isinstance(value, date):
        return _date_stands(value, text)
    if isinstance(value, Decimal):
        return _number_stands(value, text)
    words = re.sub(r"^\d+", lambda match: COUNTS.get(match[0], match[0]), value)
    return any(_bare(written).removesuffix("s") in _bare(text) for written in (value, words))


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", re.sub(r"\band\b", "", text.casefold()))


def _digits(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def _number_stands(value: Decimal, text: str) -> bool:
    """Whether digits that can be read as the value are written anywhere, point and comma read both ways."""
    for written in re.findall(r"\d(?:[\d.,' ]*\d)?", text):
        for piece in {written, *written.split(), *re.split(r"[ ,']", written)}:
            bare = re.sub(r"[ ']", "", piece)
            for plain in (bare.replace(",", ""), bare.replace(".", "").replace(",", ".")):
                if plain.count(".") <= 1 and plain and Decimal(plain) == value:
                    return True
    return False


def _date_stands(value: date, text: str) -> bool:
    """Any mention of the date's day, month and year, in either order of the first two."""
    compact = re.sub(r"\s+", " ", text.casefold())
    month = f"(?:0?{value.month}|{value:%b}[a-z]*)".casefold()
    day, year = f"0?{value.day}(?:st|nd|rd|th)?", f"(?:{value:%Y}|{value:%y})"
    gap = r"[^\d\w]{1,4}(?:day of )?"
    orders = (
        f"{value.month}{gap}{day}{gap}{year}",
        f"{value.month}{gap}{day}{gap}{year}",
        f"{day}{gap}{month}{gap}{year}",
        f"{year}{gap}{month}{gap}{day}",
        f"{value:%b}[a-z]*{gap}{day}{gap}{year}",
    )
    return any(re.search(rf"(?<!\d){order.casefold()}(?!\d)", compact) for order in orders)

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


def _same(wrong: Any, true: Any, how: str) -> bool:
    """Whether two texts are the same name, spelt differently: as another document's label may be."""
    if not isinstance(wrong, str) or how == "digit":
        return False
    return _digits(wrong) == _digits(true) and fuzz.ratio(_bare(wrong), _bare(true)) >= 88


def _stands(value: Any, text: str) -> bool:
    if isinstance(value, date):
        return _date_stands(value, text)
    if isinstance(value, Decimal):
        return _number_stands(value, text)
    return _bare(value) in _bare(text)


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _digits(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def _number_stands(value: Decimal, text: str) -> bool:
    plain = f"{value.normalize():f}"
    for written in re.findall(r"\d(?:[\d.,' ]*\d)?", text):
        if re.sub(r"\D", "", written).strip("0") == re.sub(r"\D", "", plain).strip("0"):
            return True
        pieces = re.split(r"[ ,']", written)
        if any(piece and piece.strip("0").strip(".") == plain.strip("0").strip(".") for piece in pieces):
            return True
    return False


def _date_stands(value: date, text: str) -> bool:
    """Any mention whose three numbers are the date's day, month and year, in either order of the first two."""
    compact = re.sub(r"\s+", " ", text.casefold())
    month = f"(?:0?{value.month}|{value:%b}[a-z]*)".casefold()
    day, year = f"0?{value.day}(?:st|nd|rd|th)?", f"(?:{value:%Y}|{value:%y})"
    gap = r"[^\d\w]{1,4}(?:day of )?"
    orders = (f"{day}{gap}{month}{gap}{year}", f"{year}{gap}{month}{gap}{day}", f"{value:%b}[a-z]*{gap}{day}{gap}{year}")
    return any(re.search(rf"(?<!\d){order.casefold()}(?!\d)", compact) for order in orders)

"""What a printed date, number or word can mean: the readings of one label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

from schemas.marks import Kind
from schemas.shape import Scalar
from validators.grounding import numbers
from validators.grounding.date_lookup import resolve
from validators.grounding.dates import DateMention
from validators.grounding.folding import folded
from validators.grounding.index import SourceIndex
from validators.grounding.numbers import NumberMention

LONGEST = 200
"""Characters beyond which a label is no date and no number."""
LARGEST = 40
"""Digits before or after the point beyond which a label is no number: 1e999999 would fill the memory."""
_TRUE = {"true", "yes", "1"}
_FALSE = {"false", "no", "0"}


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A label with several right values: "03/04/2019" read both ways, or alternatives given as a list."""

    values: tuple[Any, ...]


class UnreadableLabel(ValueError):
    """A label that the field's type has no reading for. `str()` is the reason."""


@lru_cache(maxsize=65536)
def date_mentions(text: str) -> tuple[DateMention, ...]:
    """Every date written in a short text, in digits, in English, else in any language."""
    index = SourceIndex(text[:LONGEST])
    for table in (index.dates, index.foreign_dates):
        found = {(mention.start, mention.end): mention for them in table.values() for mention in them}
        if found:
            return tuple(found.values())
    return ()


def read_date(label: Any, order: str | None = None) -> tuple[date, ...]:
    """The days that a label can mean. `order` (`dmy`, `mdy`) decides where there are two.

    Raises UnreadableLabel where there is none, or where there are two dates.
    """
    if isinstance(label, datetime):
        return (label.date(),)
    if isinstance(label, date):
        return (label,)
    mentions = date_mentions(label) if isinstance(label, str) else ()
    if len(mentions) != 1:
        raise UnreadableLabel(f"{_short(label)} is {'more than one date' if mentions else 'no date'}")
    meant = resolve(mentions[0], order)
    return (meant,) if meant else tuple(sorted(mentions[0].dates))


@lru_cache(maxsize=65536)
def number_mentions(text: str) -> tuple[NumberMention, ...]:
    """Every number written in a short text; one that is a part of a longer one is left out."""
    line = folded(text[:LONGEST])
    spans = sorted({span for found in numbers.places(line).values() for span in found}, key=_longest_first)
    outer: list[tuple[int, int]] = []
    for start, end in spans:
        if not outer or start >= outer[-1][1]:
            outer.append((start, end))
    return tuple(found for start, end in outer if (found := numbers.mention(line, start, end)))


def _longest_first(span: tuple[int, int]) -> tuple[int, int]:
    return span[0], -span[1]


def read_number(label: Any, mark: str | None = None) -> tuple[Decimal, ...]:
    """The numbers that a label can mean. `mark` (`.` or `,`) is the decimal mark that decides "1.234".

    Raises UnreadableLabel where there is none, or where there are two numbers.
    """
    if isinstance(label, bool) or not isinstance(label, int | float | Decimal | str):
        raise UnreadableLabel(f"{_short(label)} is no number")
    if not isinstance(label, str):
        return (_finite(label),)
    found = number_mentions(label)
    if len(found) != 1:
        raise UnreadableLabel(f"{_short(label)} is {'more than one number' if found else 'no number'}")
    sign = -1 if found[0].negative else 1
    return tuple(sign * Decimal(key) for key in _meant(found[0], mark))


def _meant(mention: NumberMention, mark: str | None) -> Sequence[str]:
    if len(mention.keys) < 2 or mark is None:
        return mention.keys
    return mention.keys[:1] if mention.mark == mark else mention.keys[1:]


def _finite(label: float | Decimal) -> Decimal:
    """The number as its shortest text reads. Raises UnreadableLabel for NaN, infinity and absurd sizes."""
    value = Decimal(str(label)) if isinstance(label, float) else Decimal(label)
    if not value.is_finite() or abs(value.adjusted()) > LARGEST:
        raise UnreadableLabel(f"{_short(label)} is no number that a field can hold")
    return value


def read_choice(label: Any, choices: Sequence[str], synonyms: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The enum's values that a label can mean: itself, in other case, or one of its synonyms."""
    if label in choices:
        return (str(label),)
    wanted = folded(str(label)).strip()
    named = {choice: {folded(name) for name in (choice, *synonyms.get(choice, ()))} for choice in choices}
    found = tuple(choice for choice, names in named.items() if wanted in names)
    if not found:
        raise UnreadableLabel(f"{_short(label)} is none of {', '.join(choices)}")
    return found


def read_boolean(label: Any) -> bool:
    """True or false, as such or as a word."""
    word = folded(str(label)).strip()
    if not isinstance(label, bool | int | str) or word not in _TRUE | _FALSE:
        raise UnreadableLabel(f"{_short(label)} is neither true nor false")
    return word in _TRUE


def read_text(label: Any) -> str:
    """A label of a text field. Numbers and days that a table's reader has made are written out again."""
    if isinstance(label, date):
        return label.isoformat()
    if isinstance(label, bool) or not isinstance(label, str | int | Decimal | float):
        raise UnreadableLabel(f"{_short(label)} is no text")
    return label if isinstance(label, str) else f"{_finite(label):f}"


def read(node: Scalar, label: Any, convention: str | None = None) -> tuple[Any, ...]:
    """The values that a label of a field can mean. `convention` is a date order or a decimal mark.

    Raises UnreadableLabel where the field's type has no reading for it.
    """
    if node.kind is Kind.DATE:
        return read_date(label, convention)
    if node.kind is Kind.NUMBER:
        return _numbers(node, label, convention)
    if node.kind is Kind.ENUM:
        return read_choice(label, node.choices, node.mark.synonyms)
    return (read_boolean(label),) if node.kind is Kind.BOOLEAN else (read_text(label),)


def _numbers(node: Scalar, label: Any, mark: str | None) -> tuple[Any, ...]:
    """A printed number of a scaled field may be as printed or multiplied already: either is right."""
    found = read_number(label, mark)
    if node.mark.scale and isinstance(label, str):
        found = tuple(dict.fromkeys([*found, *(value * node.mark.scale for value in found)]))
    return found


def _short(label: Any) -> str:
    text = repr(label)
    return text if len(text) <= 60 else text[:57] + "..."

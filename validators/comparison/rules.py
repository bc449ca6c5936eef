"""When a value is the same as its label: one key for everything that counts as equal."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from schemas import compare
from schemas.marks import Kind
from schemas.shape import Scalar
from validators.comparison.readings import AnyOf
from validators.grounding.folding import folded
from validators.grounding.number_words import COUNTS, SMALL_WORDS
from validators.grounding.variants import variants
from validators.grounding.words import squeeze

_DURATION = re.compile(
    rf"\s*(\d{{1,4}}(?:\.\d{{1,2}})?|{SMALL_WORDS})(?:\s?\(\d{{1,4}}\))?[\s-]+(day|week|month|quarter|year)s?\s*\Z"
)
_IN_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_IN_DAYS = {"day": 1, "week": 7}
MOST_SPELLINGS = 64


@dataclass(frozen=True)
class Rule:
    """`key` gives equal keys for equal values; `tolerance` is None, in the number's unit, or a share."""

    key: Callable[[Any], Hashable]
    tolerance: Decimal | None = None
    relative: bool = False

    def same(self, value: Any, label: Any) -> bool:
        """Whether a value is what the label says. Neither is None; a label may be `AnyOf`."""
        wanted = label.values if isinstance(label, AnyOf) else (label,)
        if self.tolerance is not None:
            return any(self._near(value, one) for one in wanted)
        return self.key(value) in {self.key(one) for one in wanted}

    def _near(self, value: Decimal, label: Decimal) -> bool:
        limit = self.tolerance or Decimal(0)
        return abs(Decimal(value) - Decimal(label)) <= (limit * abs(label) if self.relative else limit)


def rule_of(node: Scalar) -> Rule:
    """The rule that a field declares, else that of its kind."""
    declared = compare.parse(node.mark.compare)
    if declared.tolerance is not None:
        return Rule(_itself, declared.tolerance, declared.relative)
    return Rule(_KEYS[declared.value_rule or _BY_KIND.get(node.kind, "exact")])


def _itself(value: Any) -> Hashable:
    """Equal decimals, days and strings hash alike: 1.50 is 1.5."""
    return value  # type: ignore[no-any-return]


def _text(value: str) -> Hashable:
    """Case, spacing and punctuation do not count; where there is nothing else, all of it does."""
    return squeeze(value) or folded(value).strip()


def _words(value: str) -> Hashable:
    """The words, in any order."""
    return tuple(sorted(re.findall(r"\w+", folded(value)))) or _text(value)


@lru_cache(maxsize=65536)
def _name(value: str) -> Hashable:
    """As text, and Inc. is Incorporated, str. is strasse: the first of all its spellings."""
    spellings = [folded(value)]
    for spelling in spellings:
        if len(spellings) >= MOST_SPELLINGS:
            break
        spellings += [other for other in variants(spelling) if other not in spellings]
    return min(squeeze(spelling) for spelling in spellings) or _text(value)


def _identifier(value: str) -> Hashable:
    """Every character but white space counts; case does not."""
    return "".join(folded(value).split())


def _duration(value: str) -> Hashable:
    """ "2 years", "24 months" and "two (2) years" are one duration; anything else is a text."""
    match = _DURATION.match(folded(value))
    if match is None:
        return _text(value)
    written = re.sub(r"[\s-]+", "-", match[1])
    count = Decimal(written) if written[0].isdecimal() else Decimal(COUNTS[written])
    unit = "month" if match[2] in _IN_MONTHS else "day"
    return count * (_IN_MONTHS | _IN_DAYS)[match[2]], unit


_KEYS: dict[str, Callable[[Any], Hashable]] = {
    "exact": _itself,
    "text": _text,
    "words": _words,
    "name": _name,
    "address": _name,
    "identifier": _identifier,
    "duration": _duration,
    "number": _itself,
    "date": _itself,
}
_BY_KIND = {Kind.TEXT: "text", Kind.LONG_TEXT: "text", Kind.IDENTIFIER: "identifier"}

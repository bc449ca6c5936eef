"""Numbers written otherwise than in digits: "one hundred twenty-five thousand", "1.5 million", "1½"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from validators.grounding.number_words import COUNTS
from validators.grounding.stems import Stemmed

SCALES: dict[str, int] = {
    **dict.fromkeys(("thousand", "tsd"), 10**3),
    **dict.fromkeys(("lakh", "lakhs", "lac"), 10**5),
    **dict.fromkeys(("million", "millions", "mio", "mln", "mn", "millionen", "millones", "milioni"), 10**6),
    **dict.fromkeys(("crore", "crores"), 10**7),
    **dict.fromkeys(("billion", "billions", "bn", "mrd", "milliarden", "milliards"), 10**9),
}
"""Word -> what the number before it is multiplied by."""
AFTER = re.compile(rf"[\s-]{{0,2}}({'|'.join(sorted(SCALES, key=len, reverse=True))})(?![^\W\d_])")
"""Such a word behind a number in digits."""
_BIG = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_SIMPLE = [word for word in COUNTS if "-" not in word]
_ONE = rf"(?:{'|'.join(sorted([*_SIMPLE, 'hundred', *_BIG], key=len, reverse=True))})"
_PHRASE = Stemmed(
    [*_SIMPLE, "hundred", *_BIG, "a ", "an "],
    rf"(?<![^\W_])(?:a |an )?{_ONE}(?:(?:[\s-]{{1,2}}| and ){_ONE})*(?![^\W_])",
)

_UNIT = re.compile(
    r"[\s-]{0,2}(?:\(|%|percent|per cent|pct|day|week|month|quarter|year|hour|copies|copy|piece|pcs|unit|item"
    r"|box|share|page|dollar|euro|pound|ringgit|franc|rupee|cent|only)"
)
_FRACTION = re.compile(r"[¼-¾⅐-⅞]")
_WHOLE = re.compile(r"(?<![\d.,])(\d{1,9}) ?\Z")
_WORD = re.compile(r"[a-z]+")


def scan(text: str) -> list[tuple[int, int, Decimal | int]]:
    """(start, end, value) of each number in English words or with a fraction's sign in a folded text.

    Linear in its length.
    """
    found: list[tuple[int, int, Decimal | int]] = list(_fractions(text))
    for match in _PHRASE.finditer(text):
        if (value := value_of(match[0])) is not None:
            found.append((*match.span(), value))
        else:
            words = _WORD.finditer(text, *match.span())
            found += [(*word.span(), COUNTS[word[0]]) for word in words if word[0] in COUNTS]
    return found


def _fractions(text: str) -> Iterator[tuple[int, int, Decimal]]:
    """(start, end, value) of each number with a fraction's sign in it: "½", "1½", "2 ¼"."""
    for match in _FRACTION.finditer(text):
        whole = _WHOLE.search(text, max(0, match.start() - 10), match.start())
        part = Fraction(unicodedata.numeric(match[0])).limit_denominator(10)
        value = Decimal(part.numerator) / part.denominator + int(whole[1] if whole else 0)
        yield (whole or match).start(), match.end(), value


def counts(text: str, start: int, end: int) -> bool:
    """Whether what stands at [start, end) is a number for sure: no word, several, or one that a unit follows.

    "Three" alone is as often a part of a name.
    """
    alone = re.fullmatch(r"[a-z]+", text[start:end])
    return bool(not alone or _UNIT.match(text, end))


def value_of(phrase: str) -> int | None:
    """The value of English number words; None where they are several numbers ("twenty thirty")."""
    words = [word for word in re.split(r"[\s,-]+", phrase) if word not in ("and", "a", "an", "")]
    total = group = 0
    room = 10**12
    for word in words:
        if word in _BIG:
            total, group, size = total + max(group, 1) * _BIG[word], 0, _BIG[word]
            if size >= room:
                return None
            room = size
        elif word == "hundred":
            if group > 99:
                return None
            group = max(group, 1) * 100
        elif not _fits(group, COUNTS[word]):
            return None
        else:
            group += COUNTS[word]
    return total + group


def _fits(group: int, number: int) -> bool:
    """Whether a number below a hundred may follow what was read: ones follow tens, tens follow hundreds."""
    rest = group % 100
    return rest == 0 or (rest >= 20 and rest % 10 == 0 and 0 < number < 10)


def scaled(value: Decimal) -> list[tuple[Decimal, int]]:
    """What may stand in digits before a scale word for the value: (1.5, 1000000) for 1500000."""
    pairs = [(value / scale, scale) for scale in sorted(set(SCALES.values()))]
    return [(number, scale) for number, scale in pairs if number and _places(number) <= 3]


def _places(number: Decimal) -> int:
    exponent = number.normalize().as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0

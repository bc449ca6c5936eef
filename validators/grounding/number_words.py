"""English number words: days ("thirty-first"), years ("two thousand and five") and counts ("eighteen")."""

from __future__ import annotations

import re

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_FIRST = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
]

COUNTS: dict[str, int] = {word: number for number, word in enumerate(_ONES)}
"""zero .. ninety-nine, with hyphens."""
for _number, _ten in enumerate(_TENS, 2):
    COUNTS[_ten] = _number * 10
    COUNTS.update({f"{_ten}-{one}": _number * 10 + digit for digit, one in enumerate(_ONES[1:10], 1)})
WORDS: dict[int, str] = {number: word for word, number in COUNTS.items()}

DAYS: dict[str, int] = {word: number for number, word in enumerate(_FIRST, 1)}
"""first .. thirty-first, with hyphens."""
DAYS |= {"twentieth": 20, "thirtieth": 30, "thirty-first": 31}
DAYS |= {f"twenty-{word}": 20 + number for number, word in enumerate(_FIRST[:9], 1)}


def _alternatives(words: list[str]) -> str:
    ordered = sorted(words, key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\-", r"[\s-]{1,2}") for word in ordered)


DAY_WORDS = rf"\b(?:{_alternatives(list(DAYS))})\b"
"""Pattern of a day in words."""
_SMALL = _alternatives([word for word in COUNTS if word != "zero"])
SMALL_WORDS = rf"\b(?:{_SMALL})\b"
"""Pattern of a count in words, one to ninety-nine."""
YEAR_WORDS = (
    rf"\b(?:two thousand(?: and)?(?:[\s-]{{1,2}}(?:{_SMALL}))?"
    rf"|(?:nineteen|twenty)[\s-]{{1,2}}(?:hundred|{_SMALL}))\b"
)
"""Pattern of a year in words, 1900 to 2099."""


def year_of(written: str) -> str | int:
    """A year written in digits or words."""
    if written.isdecimal():
        return written
    words = re.sub(r"[\s-]+", " ", written).replace(" and", "").split(" ")
    if words[:2] == ["two", "thousand"]:
        return 2000 + COUNTS.get("-".join(words[2:]), 0)
    return COUNTS[words[0]] * 100 + COUNTS.get("-".join(words[1:]), 0)

"""What else a run of digits may be: part of a date, a time, a telephone number, a code or a longer number.

"2041" in "INV-2041" and "1234" in "03-7987 1234" are no amounts, and neither is "06" in "2018-06-05". Only
bare digits are doubted: what has a decimal mark or groups is a number wherever it stands.
"""

from __future__ import annotations

import re

from validators.grounding.currencies import SIGNS

WINDOW = 40
"""Characters before and behind a number that are looked at."""
MOST_DIGITS = 9
"""Bare digits of the longest number; a longer run is an article's, a card's or an account's."""
RANGE_DIGITS = 6
"""Most digits of a range such as "10-20" in all; with more of them it is a telephone number or a code."""

_SIGNS = frozenset(sign for signs in SIGNS.values() for sign in signs) | {code.lower() for code in SIGNS}
_LABELS = _SIGNS | {"x", "qty", "no", "nr", "pos", "amt", "sum", "tot"}
"""Words of up to three letters that a number may touch and still be one."""
_TIME = re.compile(r"(?<![\d:.,])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?![\d:.,])")
_PHONE = re.compile(
    r"(?:\b(?:tele?(?:phone|fax|fon|f)?|phone|fax|mobile|mobil|handy|h/?p|tél(?:éphone)?|tlf|whatsapp|hotline)\b"
    r"[^\w+(\n]{0,4}[+(]{0,2}\d|\+\d|(?<![\w.,/-])0\d{1,3}[-/] ?\d)[\d ()/.-]{4,20}"
)
_CHAIN_LEFT = re.compile(r"(?<![\w/-])[\w/-]*[/-]\Z")
_CHAIN_RIGHT = re.compile(r"[/-][\w/-]*")
_LETTERS_LEFT = re.compile(r"(?<![^\W\d_])[^\W\d_]+\Z")
_LETTERS_RIGHT = re.compile(r"[^\W\d_]+\d")


def part_of(text: str, start: int, end: int) -> str | None:
    """What the bare digits at [start, end) of a folded text belong to; None where they are a number."""
    low, high = max(0, start - WINDOW), min(len(text), end + WINDOW)
    grouped = text[start] == "0" and end - start == 3 and re.search(r"\d \Z", text[low:start])
    if grouped or re.match(r" ?[¼-¾⅐-⅞]", text[end : end + 2]):
        return "a longer number"
    if end - start > MOST_DIGITS or (text[start] == "0" and end - start > 2):
        return "a code"
    if _in(_TIME, text, start, end):
        return "a time"
    if _in(_PHONE, text, start, end):
        return "a telephone number"
    joined = _touched(text, start, end, low, high) or _chained(text, start, end, low, high)
    return "a code" if joined else None


def _in(pattern: re.Pattern[str], text: str, start: int, end: int) -> bool:
    """Whether a match of the pattern, on the same line, holds [start, end)."""
    low = max(text.rfind("\n", 0, start) + 1, start - WINDOW)
    found = pattern.finditer(text, low, min(len(text), end + WINDOW))
    return any(match.start() <= start and end <= match.end() for match in found)


def _touched(text: str, start: int, end: int, low: int, high: int) -> bool:
    """Whether letters run into the digits: "A47B", "inv2041"; signs of money and long words are labels."""
    if _LETTERS_RIGHT.match(text, end, high):
        return True
    letters = _LETTERS_LEFT.search(text, low, start)
    if letters is None or letters[0] in _LABELS:
        return False
    return len(letters[0]) <= 3 or text[letters.start() - 1 : letters.start()].isdecimal()


def _chained(text: str, start: int, end: int, low: int, high: int) -> bool:
    """Whether letters or digits run on over hyphens and slashes ("INV-2041", "2018/0045"), unless a range."""
    left, right = _CHAIN_LEFT.search(text, low, start), _CHAIN_RIGHT.match(text, end, high)
    chain = (left[0] if left else "") + text[start:end] + (right[0] if right else "")
    parts = [part for part in re.split("[/-]+", chain) if part]
    if len(parts) < 2 or (parts[0] in _SIGNS and len(parts) == 2):
        return False
    digits = sum(map(str.isdecimal, chain))
    if not all(map(str.isdecimal, parts)):
        return (left is not None and not left[0].strip("/-").isdecimal()) or digits > 3
    return "/" in chain or len(parts) > 2 or digits > RANGE_DIGITS

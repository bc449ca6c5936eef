"""Strings that match a regular expression, short and long, and strings close by that may not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_CATEGORIES = {
    op.CATEGORY_DIGIT: "7",
    op.CATEGORY_NOT_DIGIT: "a",
    op.CATEGORY_SPACE: " ",
    op.CATEGORY_NOT_SPACE: "a",
    op.CATEGORY_WORD: "a",
    op.CATEGORY_NOT_WORD: "-",
}
_ANYTHING = ("", "a", "Aa", "0", "-1", "x y", "!?", "2024-01-01", "ü", "9" * 40, "1." + "0" * 40, "a" * 64)


def matching(pattern: str, most: int) -> list[str]:
    """Strings that Python finds the pattern in: of each repetition the least, a few more, and up to `most`.

    May be empty: some constructs (look-around, back-references) are not followed.
    """
    try:
        parsed = parser.parse(pattern)
    except re.error:
        return []
    made = [_written(parsed, more, branch) for more in (0, 1, 2, most) for branch in range(4)]
    return [text for text in dict.fromkeys(made) if re.search(pattern, text)]


def near(text: str) -> Iterator[str]:
    """The text with one thing changed, then strings that have nothing to do with it."""
    yield from (
        f"{text}~",
        f"~{text}",
        f"{text}{text}",
        f"{text} ",
        f"{text}0",
        f"{text}\n",
        text[:-1],
        text[1:],
    )
    yield from (text.swapcase(), text.replace("-", "/"), text.replace(".", ","))
    for place in range(min(len(text), 12)):
        yield from (text[:place] + other + text[place + 1 :] for other in "9aZ~")
    yield from _ANYTHING


def _written(parsed: Any, more: int, branch: int) -> str:
    return "".join(_one(kind, value, more, branch) for kind, value in parsed)


def _one(kind: Any, value: Any, more: int, branch: int) -> str:
    """One item of Python's own parse (`re._parser`)."""
    if kind is op.LITERAL:
        return chr(value)
    if kind is op.NOT_LITERAL:
        return "a" if value != ord("a") else "b"
    if kind is op.ANY:
        return "a"
    if kind is op.IN:
        return _of_set(value)
    if kind is op.BRANCH:
        return _written(value[1][branch % len(value[1])], more, branch)
    if kind is op.SUBPATTERN:
        return _written(value[-1], more, branch)
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        least, greatest, inner = value
        return _written(inner, more, branch) * min(int(greatest), int(least) + more)
    return ""  # anchors take no room; what else there is, the search afterwards decides


def _of_set(members: Any) -> str:
    """A character of `[...]`."""
    if members[0][0] is op.NEGATE:
        pattern = [(kind, value) for kind, value in members[1:]]
        return next(letter for letter in "a0 -~ü" if letter not in _letters(pattern))
    kind, value = members[0]
    if kind is op.RANGE:
        return chr(value[0] + 1) if value[0] < value[1] else chr(value[0])
    return str(_CATEGORIES[value]) if kind is op.CATEGORY else chr(value)


def _letters(members: Any) -> set[str]:
    found = set[str]()
    for kind, value in members:
        if kind is op.RANGE:
            found |= {chr(code) for code in range(value[0], min(value[1], 0x2FF) + 1)}
        else:
            found.add(_CATEGORIES[value] if kind is op.CATEGORY else chr(value))
    return found

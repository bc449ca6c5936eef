"""Level `syntax`: is the text one JSON value, and if not, in which way is it not?

Strict RFC 8259: no duplicate keys, no NaN or Infinity, nothing before or after. Numbers with a fraction or an
exponent become `Decimal`, so that money is never a float. Nothing is repaired.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any, NoReturn

from schemas.records import Category, Finding, Level, Severity

MAX_DEPTH = 64
"""Deepest nesting that is parsed; no schema version comes near, and the parser's recursion ends later."""
MAX_DIGITS = 1000
"""Longest run of digits in one number; CPython refuses to convert integers beyond 4300."""

_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_OPENING = re.compile(r"[{\[]")


class _Refused(ValueError):
    """JSON that the parser would take and that has no single meaning."""


def parse(text: str) -> tuple[Any, Finding | None]:
    """Parse `text`. Returns (value, None), or (None, finding) whose category is one of the syntax ones.

    Never raises: deep nesting, lone surrogates and huge numbers are findings too.
    """
    if _depth(text) > MAX_DEPTH:
        return None, _finding(Category.SYNTAX_ERROR, f"nested deeper than {MAX_DEPTH} levels", 0, text)
    try:
        return _DECODER.decode(text), None
    except json.JSONDecodeError as error:
        return None, _explain(text, error)
    except (_Refused, ArithmeticError, ValueError, RecursionError) as error:
        return None, _finding(Category.SYNTAX_ERROR, str(error), 0, text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Refused(f"the key {twice!r} stands twice in one object")
    return found


def _constant(name: str) -> NoReturn:
    raise _Refused(f"{name} is not JSON")


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise _Refused(f"a number of {len(digits)} digits")
    return int(digits)


def _decimal(digits: str) -> Decimal:
    if len(digits) > MAX_DIGITS:
        raise _Refused(f"a number of {len(digits)} digits")
    number = Decimal(digits)
    if abs(number.adjusted()) > MAX_DIGITS:
        raise _Refused(f"the number {digits} is out of every range")
    return number


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_float=_decimal, parse_int=_integer
)


def _depth(text: str) -> int:
    """Deepest nesting in `text`, brackets in strings left out."""
    depth = deepest = 0
    for match in _STRUCTURE.finditer(text):
        if (mark := match[0]) in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif mark in "}]":
            depth -= 1
    return deepest


def _explain(text: str, error: json.JSONDecodeError) -> Finding:
    """Name the kind of an answer that the parser refused at `error.pos`."""
    if error.msg == "Extra data":
        return _finding(Category.TEXT_AFTER_JSON, "text after the JSON value", error.pos, text)
    opening = _OPENING.search(text)
    if opening and text[: opening.start()].strip() and _starts_json(text, opening.start()):
        return _finding(Category.TEXT_BEFORE_JSON, "text before the JSON value", 0, text)
    if opening and _is_open(text[opening.start() :]):
        return _finding(Category.UNCLOSED, f"ends before the JSON value does: {error.msg}", error.pos, text)
    return _finding(Category.SYNTAX_ERROR, error.msg, error.pos, text)


def _starts_json(text: str, at: int) -> bool:
    """Whether what precedes offset `at` is talk and a value begins there, whole or not."""
    try:
        _DECODER.raw_decode(text, at)
    except json.JSONDecodeError:
        return text.lstrip()[:1] not in '{["'
    except (ValueError, ArithmeticError, RecursionError):
        return True
    return True


def _is_open(text: str) -> bool:
    """Whether a string, an array or an object is still open at the end."""
    depth = 0
    for match in _STRUCTURE.finditer(text):
        mark = match[0]
        if mark[0] == '"':
            if len(mark) == 1 or mark[-1] != '"':
                return True
            continue
        depth += 1 if mark in "{[" else -1
    return depth > 0


def _finding(category: Category, message: str, at: int, text: str) -> Finding:
    return Finding(
        level=Level.SYNTAX,
        rule=f"syntax.{category.value}",
        severity=Severity.ERROR,
        message=f"{message} (at character {at} of {len(text)})",
        category=category,
        expected="one JSON value, nothing before or after it",
        found=text[max(0, at - 20) : at + 40],
    )

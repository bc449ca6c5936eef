"""Where each value of an answer stands in its JSON text, also in one that was cut or has prose around it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

_decoder = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")


@dataclass(slots=True)
class Place:
    """One value: code points `start` to `end` of the text; `begun` is where its key starts, if it has one."""

    pointer: str
    begun: int
    start: int
    end: int


def places(text: str) -> list[Place]:
    """Every value of the first JSON object in `text`, outer ones first. What is broken ends with the text."""
    found: list[Place] = []
    start = text.find("{")
    if start >= 0:
        with suppress(ValueError, IndexError, RecursionError):
            _value(text, start, "", start, found)
    return found


def place_at(known: list[Place], offset: int) -> Place | None:
    """The innermost value that holds a code point, its key and what stands between counted in."""
    holding = [one for one in known if one.begun <= offset < one.end]
    return max(holding, key=lambda one: one.begun, default=None)


def _value(text: str, at: int, pointer: str, begun: int, found: list[Place]) -> int:
    """Note the value at `at`, and those inside it; the offset after it. Raises where the text is broken."""
    place = Place(pointer, begun, at, len(text))
    found.append(place)
    kind = text[at]
    if kind == "{":
        place.end = _members(text, at, "}", lambda i, _n: _member(text, i, pointer, found))
    elif kind == "[":
        place.end = _members(text, at, "]", lambda i, n: _value(text, i, f"{pointer}/{n}", i, found))
    else:
        place.end = _decoder.raw_decode(text, at)[1]
    return place.end


def _members(text: str, at: int, close: str, one: Callable[[int, int], int]) -> int:
    """Past an object or a list. `one(offset, number)` goes past a member."""
    at, number = _after_space(text, at + 1), 0
    while text[at] != close:
        at = _after_space(text, one(at, number))
        if text[at] not in {",", close}:
            raise ValueError(f"neither a comma nor {close} at {at}")
        at = _after_space(text, at + 1) if text[at] == "," else at
        number += 1
    return at + 1


def _member(text: str, at: int, pointer: str, found: list[Place]) -> int:
    if text[at] != '"':
        raise ValueError(f"no key at {at}")
    key, after = _decoder.raw_decode(text, at)
    colon = _after_space(text, after)
    if text[colon] != ":":
        raise ValueError(f"no colon at {colon}")
    return _value(text, _after_space(text, colon + 1), f"{pointer}/{escape(key)}", at, found)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def escape(key: str) -> str:
    """A key as a reference token of RFC 6901."""
    return key.replace("~", "~0").replace("/", "~1")

"""Month names in every language that CLDR covers, through Babel, and each locale's order of day and month.

The full table takes Babel two seconds to load, so that English alone is tried first: most documents need no more.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product

from babel import Locale, UnknownLocaleError, localedata
from babel.dates import get_date_format, get_month_names

from validators.grounding.folding import folded

Names = Mapping[str, tuple[tuple[str, int], ...]]
"""First word of a name -> (the whole name, month 1..12), longest names first."""

_WORD = re.compile(r"[^\W\d_]+")
_PATTERN = re.compile(r"(?:'([^']*)')?((?:MMM|LLL)M?)(?:'([^']*)')?")
_EXTRA = {"sept": 9, "sep": 9, "juin": 6, "june": 6, "july": 7}


@lru_cache(maxsize=1)
def english() -> Names:
    """The English names alone."""
    return _table(["en", "en_GB"], _EXTRA)


@lru_cache(maxsize=1)
def everywhere() -> Names:
    """The names of all locales; a name that two languages use for different months is listed for both."""
    return _table(localedata.locale_identifiers(), _EXTRA)


@lru_cache(maxsize=64)
def of_locale(tag: str) -> Names:
    """The names of one locale; empty if Babel does not know it."""
    locale = parse_locale(tag)
    return _table([str(locale)], {}) if locale else {}


@lru_cache(maxsize=256)
def parse_locale(tag: str | None) -> Locale | None:
    """Babel's locale for `de`, `de-DE` or `de_DE`; None if it knows none."""
    try:
        return Locale.parse(tag.replace("-", "_")) if tag else None
    except (ValueError, UnknownLocaleError):
        return None


@lru_cache(maxsize=256)
def date_order(tag: str | None) -> str | None:
    """`dmy`, `mdy` or `ymd`: the order of the locale's short dates. None for an unknown locale."""
    locale = parse_locale(tag)
    if locale is None:
        return None
    letters = [char for char in get_date_format("short", locale).pattern.lower() if char in "dmy"]
    order = "".join(dict.fromkeys(letters))
    return order if order in ("dmy", "mdy", "ymd") else "dmy"


def _table(tags: list[str], extra: Mapping[str, int]) -> Names:
    names: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for tag in tags:
        for name, month in _names_of(tag):
            if first := _WORD.search(name):
                names[first[0]].add((name, month))
    for name, month in extra.items():
        names[name].add((name, month))
    return {first: tuple(sorted(found, key=_longest_first)) for first, found in names.items()}


def _longest_first(entry: tuple[str, int]) -> tuple[int, str, int]:
    return -len(entry[0]), entry[0], entry[1]


def _names_of(tag: str) -> Iterator[tuple[str, int]]:
    """Folded names of one locale, with the endings that its date formats attach to them."""
    affixes = _affixes(tag)
    for context, width in product(("format", "stand-alone"), ("wide", "abbreviated")):
        for month, name in get_month_names(width, context, tag).items():
            plain = folded(name).strip().rstrip(".").strip()
            if len(_WORD.findall(plain)) and len(plain) > 1 and not _numeric(plain):
                yield from ((f"{before}{plain}{after}", month) for before, after in affixes)


def _numeric(name: str) -> bool:
    """Names such as `M03` or `3月`, which the numeric patterns read."""
    return bool(re.fullmatch(r"m\d\d|\d+\W?[月월]", name))


@lru_cache(maxsize=2048)
def _affixes(tag: str) -> frozenset[tuple[str, str]]:
    found = {("", "")}
    for style in ("full", "long", "medium"):
        for before, _, after in _PATTERN.findall(get_date_format(style, tag).pattern):
            found.add(("", _attached(after)))
            found.add((folded(before) if before and before[-1].isalpha() and before.isalpha() else "", ""))
    return frozenset(found)


def _attached(literal: str) -> str:
    match = _WORD.match(folded(literal)) if literal else None
    return match[0] if match else ""

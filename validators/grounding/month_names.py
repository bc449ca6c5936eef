"""Month names in every language that CLDR covers, and each locale's order of day and month.

English is tried alone first: most documents need no more, and its names clash with no other word.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.dates import get_date_format

from validators.grounding.month_table import TABLE, names_of

Names = Mapping[str, tuple[tuple[str, int], ...]]
"""First word of a name -> (the whole name, month 1..12), longest names first."""

_WORD = re.compile(r"[^\W\d_]+")
_EXTRA = (("sept", 9), ("june", 6), ("july", 7))


@lru_cache(maxsize=1)
def english() -> Names:
    """The English names alone."""
    return _by_first_word([*names_of("en"), *_EXTRA])


@lru_cache(maxsize=1)
def everywhere() -> Names:
    """The names of all locales; a name that two languages use for different months is listed for both."""
    lines = (line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines())
    return _by_first_word((name, int(month)) for name, months in lines for month in months.split())


@lru_cache(maxsize=64)
def of_locale(tag: str | None) -> Names:
    """The names of one locale; empty if Babel does not know it."""
    locale = parse_locale(tag)
    return _by_first_word(names_of(str(locale))) if locale else {}


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


@lru_cache(maxsize=256)
def year_last_order(tag: str | None) -> str | None:
    """`dmy` where a locale that writes the year first puts the day before the month when it comes last."""
    locale = parse_locale(tag)
    if locale is None:
        return None
    letters = [char for char in get_date_format("long", locale).pattern.lower() if char in "dmy"]
    return "dmy" if "".join(dict.fromkeys(letters)) == "dmy" else None


def _by_first_word(entries: Iterable[tuple[str, int]]) -> Names:
    names: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for name, month in entries:
        if first := _WORD.search(name):
            names[first[0]].add((name, month))
    return {first: tuple(sorted(found, key=_longest_first)) for first, found in names.items()}


def _longest_first(entry: tuple[str, int]) -> tuple[int, str, int]:
    return -len(entry[0]), entry[0], entry[1]

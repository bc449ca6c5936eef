"""Writes `month_names.tsv`, the folded month names of every language that CLDR covers, from Babel.

Run `python -m validators.grounding.month_table` after an upgrade of Babel. Reading the table takes
milliseconds; asking Babel for its 1100 locales takes eight seconds.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from babel import localedata
from babel.dates import get_date_format, get_month_names

from validators.grounding.folding import folded

TABLE = Path(__file__).with_name("month_names.tsv")
_WORD = re.compile(r"[^\W\d_]+")
_PATTERN = re.compile(r"(?:'([^']*)'|([^\x00-\x7f]+))?(?:MMM|LLL)M?(?:'([^']*)'|([^\x00-\x7f]+))?")


def names_of(tag: str) -> Iterator[tuple[str, int]]:
    """Folded month names (name, 1..12) of one locale, with the endings that its date formats attach."""
    affixes = _affixes(tag)
    for context, width in product(("format", "stand-alone"), ("wide", "abbreviated")):
        names: Any = get_month_names
        for month, name in names(width, context, tag).items():
            plain = folded(name).strip().rstrip(".").strip()
            if _WORD.search(plain) and len(plain) > 1 and not _numeric(plain):
                yield from ((before + plain + after, month) for before, after in affixes)


def build() -> str:
    """The table: one line a name, its months, and how many of the locales use it so; sorted by name."""
    months: dict[str, set[int]] = defaultdict(set)
    for tag in localedata.locale_identifiers():
        for name, month in names_of(tag):
            months[name].add(month)
    lines = (f"{name}\t{' '.join(map(str, sorted(found)))}\n" for name, found in sorted(months.items()))
    return "".join(lines)


def _numeric(name: str) -> bool:
    """Names such as `3月`, which the numeric patterns read."""
    return bool(re.fullmatch(r"\d+\W?[月월]", name))


def _affixes(tag: str) -> set[tuple[str, str]]:
    found = {("", "")}
    for style in ("full", "long", "medium"):
        for before, bare_before, after, bare_after in _PATTERN.findall(get_date_format(style, tag).pattern):
            head = re.search(r"[^\W\d_]+\Z", before or bare_before)
            tail = _WORD.match(after or bare_after)
            found.add((folded(head[0]) if head else "", folded(tail[0]) if tail else ""))
    return found


if __name__ == "__main__":
    TABLE.write_text(build(), encoding="utf-8")

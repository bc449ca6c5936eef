"""Looking up an enum: the value itself, its synonyms, or the signs of a currency."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from schemas.records import Match, Span
from validators.grounding import text_lookup
from validators.grounding.currencies import signs
from validators.grounding.folding import folded
from validators.grounding.index import SourceIndex
from validators.grounding.lookup import ABSENT, Lookup, found
from validators.grounding.words import squeeze

_LOCAL = re.compile(r"(?<![^\W\d_])(?:r|a|au|c|ca|s|sg|hk|nz|nt|mx|rd|b)\Z")
"""What makes a dollar sign another country's: R$, HK$."""
LONG = 7
"""Letters of the shortest spelling that is also found at the head of a compound."""


def look_up(value: Any, index: SourceIndex, synonyms: Mapping[str, tuple[str, ...]]) -> Lookup:
    """Find an enum's value by any spelling that the schema names for it. Never fuzzy."""
    written = str(value)
    direct = text_lookup.whole(written, index)
    if direct.match is not Match.ABSENT:
        return direct
    names = (*synonyms.get(written, ()), *signs(written))
    spans = list(_spans(names, index)) or list(_compounds((written, *synonyms.get(written, ())), index))
    return found(spans, index.text, written) if spans else ABSENT


def _spans(names: Iterable[str], index: SourceIndex) -> Iterator[Span]:
    for name in names:
        if squeeze(name) and name.replace(" ", "").isalnum():
            for place in index.words.find(squeeze(name)):
                yield index.word_span(*place)
        elif name.strip():
            yield from _signs(folded(name), index)


def _compounds(names: Iterable[str], index: SourceIndex) -> Iterator[Span]:
    """Long spellings that begin a longer word: "Rechnung" in "Rechnungsnummer"."""
    words = index.words
    for needle in map(squeeze, names):
        at = words.squeezed.find(needle) if len(needle) >= LONG else -1
        while at >= 0 and not words.parts(at):
            at = words.squeezed.find(needle, at + 1)
        if at >= 0:
            yield index.word_span(at, at + len(needle))


def _signs(name: str, index: SourceIndex) -> Iterator[Span]:
    """Signs such as `€` or `R$`: no letter may touch a letter of theirs."""
    head = r"(?<![^\W\d_])" if name[0].isalpha() else ""
    tail = r"(?![^\W\d_])" if name[-1].isalpha() else ""
    text = index.folded.text
    for match in re.finditer(head + re.escape(name) + tail, text):
        if name == "$" and _LOCAL.search(text, max(0, match.start() - 4), match.start()):
            continue
        yield index.span(*match.span())

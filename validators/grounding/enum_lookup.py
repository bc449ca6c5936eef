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
AMBIGUOUS = frozenset(["r", "fr", "ft", "sr", "tl", "real", "won", "rand", "lei", "lira", "pound", "pounds"])
"""Signs of money that are also other words or units: they count only beside a number."""
_NUMBER_BEFORE = re.compile(r"\d\W{0,2}\Z")
_NUMBER_AFTER = re.compile(r"\W{0,3}\d")
LONG = 7
"""Letters of the shortest spelling that is also found at the head of a compound."""


def look_up(value: Any, index: SourceIndex, synonyms: Mapping[str, tuple[str, ...]]) -> Lookup:
    """Find an enum's value by any spelling that the schema names for it. Never fuzzy."""
    written = str(value)
    direct = _code(written, index) if signs(written) else text_lookup.whole(written, index)
    if direct.match is not Match.ABSENT:
        return direct
    names = (*synonyms.get(written, ()), *signs(written))
    spans = list(_spans(names, index)) or list(_compounds((written, *synonyms.get(written, ())), index))
    return found(spans, index.text, written) if spans else ABSENT


def _code(code: str, index: SourceIndex) -> Lookup:
    """Find a currency's code: in capitals, or beside a number, for "try" and "all" are words as well."""
    lookup = text_lookup.whole(code, index)
    spans = [span for span in lookup.spans if _cut(span, index).isupper() or _priced(span, index)]
    return found(spans, index.text, code) if spans else ABSENT


def _cut(span: Span, index: SourceIndex) -> str:
    return index.text[span.start : span.end]


def _priced(span: Span, index: SourceIndex) -> bool:
    """Whether a number stands beside a span, in the original text."""
    before, after = index.text[max(0, span.start - 4) : span.start], index.text[span.end : span.end + 4]
    return bool(_NUMBER_BEFORE.search(before) or _NUMBER_AFTER.match(after))


def _spans(names: Iterable[str], index: SourceIndex) -> Iterator[Span]:
    for name in names:
        if squeeze(name) and name.replace(" ", "").isalnum():
            for place in index.words.find(squeeze(name)):
                span = index.word_span(*place)
                if squeeze(name) not in AMBIGUOUS or _priced(span, index):
                    yield span
        elif name.strip():
            priced = squeeze(name) in AMBIGUOUS
            yield from (s for s in _signs(folded(name), index) if not priced or _priced(s, index))


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
    first = re.escape(name[0])
    head = rf"(?<![^\W\d_]{first})" if name[0].isalpha() else ""
    tail = r"(?![^\W\d_])" if name[-1].isalpha() else ""
    text = index.folded.text
    for match in re.finditer(first + head + re.escape(name[1:]) + tail, text):
        if name == "$" and _LOCAL.search(text, max(0, match.start() - 4), match.start()):
            continue
        yield index.span(*match.span())

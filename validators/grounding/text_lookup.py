"""Looking up text: exact as words, then with tolerance for letters, never for digits."""

from __future__ import annotations

import re
from dataclasses import replace

from schemas.records import Match, Span
from validators.grounding import columns, durations, fuzzy
from validators.grounding.folding import fold, folded
from validators.grounding.index import SourceIndex
from validators.grounding.lookup import ABSENT, Lookup, found
from validators.grounding.variants import variants
from validators.grounding.words import Words, squeeze

ACCENTS = 0.99
"""The score of a text that differs in accents alone."""


def look_up(value: str, index: SourceIndex) -> Lookup:
    """Find a text over line breaks, column gaps and punctuation; where a letter differs, fuzzily."""
    exact = whole(value, index)
    if exact.match is not Match.ABSENT:
        return exact
    if duration := durations.parse(folded(value)):
        return _duration(duration, value, index)
    for variant in variants(folded(value)):
        if (other := whole(variant, index)).match is not Match.ABSENT:
            return replace(other, match=Match.NORMALISED)
    if (plain := _unaccented(value, index)).match is not Match.ABSENT:
        return plain
    if pieces := columns.find(value, index.words):
        return Lookup(Match.NORMALISED, (index.word_span(*pieces),), 1.0)
    return fuzzy.look_up(value, index)


def _unaccented(value: str, index: SourceIndex) -> Lookup:
    """A text of which only accents differ, as models and scanners leave them out."""
    needle = Words(fold(value).unaccented()).squeezed
    ranges = index.plain_words.find(needle)
    spans = tuple(index.span(*index.plain_words.place(*place)) for place in ranges)
    return Lookup(Match.FUZZY, spans, ACCENTS) if spans else ABSENT


def _duration(duration: tuple[int, str], value: str, index: SourceIndex) -> Lookup:
    spans = [index.span(start, end) for start, end, written in index.durations if written == duration]
    return found(spans, index.text, value) if spans else ABSENT


def whole(value: str, index: SourceIndex) -> Lookup:
    """Find a text as whole words, whatever stands between them."""
    needle = squeeze(value)
    if not needle:
        return _bare(value, index)
    ranges = index.words.find(needle)
    if not ranges:
        return ABSENT
    return found([index.word_span(*place) for place in ranges], index.text, value)


def identifier(value: str, index: SourceIndex) -> Lookup:
    """Find an identifier: as words, else with all separators left out on both sides."""
    exact = whole(value, index)
    needle = squeeze(value).replace(" ", "")
    if exact.match is not Match.ABSENT or not needle or not any(map(str.isdecimal, needle)):
        return exact
    spans = [index.word_span(*place) for place in index.words.find_compact(needle)]
    return found(spans, index.text, value) if spans else ABSENT


def quote(value: str, index: SourceIndex) -> Lookup:
    """Find a quotation: every character of it, white space aside."""
    words = folded(value).split()
    if not words:
        return ABSENT
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    spans = [index.span(*match.span()) for match in pattern.finditer(index.folded.text)]
    return found(spans[:64], index.text, value) if spans else ABSENT


def _bare(value: str, index: SourceIndex) -> Lookup:
    """A value without letters or digits: looked for just as it is."""
    at = index.text.find(value) if value.strip() else -1
    return ABSENT if at < 0 else found([Span(at, at + len(value))], index.text, value)

"""Looking up text: exact as words, then with tolerance for letters, never for digits."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice

from schemas.records import Match, Span
from validators.grounding import columns, durations, fuzzy
from validators.grounding.folding import fold, folded
from validators.grounding.index import SourceIndex
from validators.grounding.lookup import ABSENT, Lookup, found
from validators.grounding.variants import variants
from validators.grounding.words import Words, squeeze

ACCENTS = 0.99
"""The score of a text that differs in accents alone."""
MOST = 64
"""Places of one quotation that are kept."""
FEW_WORDS = 3
"""Words of the shortest quotation that may end within a word."""
LONG_NUMBER = 8
"""Digits of the shortest number that is known again when parted otherwise: 2041 is not "20 41"."""
WRAPPED = 12
"""Letters and digits of the shortest identifier that may be wrapped over a line's end."""
TELEPHONE = re.compile(r"\+?(?:[\s()./-]{0,3}\d){7,16}")
"""A text that is digits and their separators alone: compared as an identifier is."""
_GAPS = re.compile(r"[\W_]+")
_GAP = re.compile(r" ?[^\w\s|;]{1,2} ?| |_")
_WRAP = re.compile(r"[^\w\s]?[ \t]*\r?\n[ \t]*[^\w\s]?")
_LOOSE = re.compile(r"[^\w/-]")
_IN_NUMBER = re.compile(r"\d[.,']?\d")
_IN_WORD = re.compile(r"[a-zß-ɏͰ-ԯ]{2}")


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
    """A text of which only accents differ, as models and scanners leave them out. After `whole` failed."""
    needle = Words(fold(value).unaccented()).squeezed
    if index.plain_words is index.words and needle == squeeze(value):
        return ABSENT  # there are no accents on either side
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
    """Find an identifier: as words, else with all separators left out on both sides; never over columns."""
    needle = squeeze(value).replace(" ", "")
    if not needle or not any(map(str.isdecimal, needle)):
        return whole(value, index)
    exact = [place for place in index.words.find(squeeze(value)) if _joined(place, needle, index)]
    places = exact or [place for place in index.words.find_compact(needle) if _joined(place, needle, index)]
    if not exact and needle.isdecimal() and len(needle) < LONG_NUMBER:
        places = [place for place in places if not _LOOSE.search(_written(place, index))]
    return found([index.word_span(*place) for place in places], index.text, value) if places else ABSENT


def _joined(place: tuple[int, int], needle: str, index: SourceIndex) -> bool:
    """Whether what parts an identifier's characters is what is printed within one: no gap between columns."""
    gaps = _GAPS.findall(_written(place, index))
    wrapped = len(needle) >= WRAPPED
    return all(_GAP.fullmatch(gap) or (wrapped and _WRAP.fullmatch(gap)) for gap in gaps)


def _written(place: tuple[int, int], index: SourceIndex) -> str:
    return index.folded.text[slice(*index.words.place(*place))]


def quote(value: str, index: SourceIndex) -> Lookup:
    """Find a quotation: every character of it, white space aside, from the start of a word or number.

    It may end within a word, as an answer that reached its bound does, but never within a number.
    """
    words = folded(value).split()
    if not words:
        return ABSENT
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    text = index.folded.text
    matches = (match for match in pattern.finditer(text) if not _cut(match, text, len(words)))
    spans = [index.span(*match.span()) for match in islice(matches, MOST)]
    return found(spans, index.text, value) if spans else ABSENT


def _cut(match: re.Match[str], text: str, words: int) -> bool:
    """Whether a quotation begins or ends within a number, or within a word of the scripts that part them."""
    head, tail = (
        text[max(0, match.start() - 2) : match.start() + 1][::-1],
        text[match.end() - 1 : match.end() + 2],
    )
    if _IN_NUMBER.match(head) or _IN_NUMBER.match(tail):
        return True
    return bool(_IN_WORD.match(head) or (words < FEW_WORDS and _IN_WORD.match(tail)))


def _bare(value: str, index: SourceIndex) -> Lookup:
    """A value without letters or digits: looked for just as it is."""
    at = index.text.find(value) if value.strip() else -1
    return ABSENT if at < 0 else found([Span(at, at + len(value))], index.text, value)

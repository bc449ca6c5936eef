"""Fuzzy matching of text: tolerance for letters, none for digits.

The best window of the source is found by edit distance; then each difference is looked at. A digit may differ
only into the letter that a scanner takes for it (0/O, 1/l/I, 5/S, 8/B), never into another digit.
"""

from __future__ import annotations

from itertools import pairwise

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from schemas.records import Match
from validators.grounding.index import SourceIndex
from validators.grounding.lookup import ABSENT, Lookup
from validators.grounding.words import Words, words_of

SHORTEST = 6
"""Squeezed characters below which a text is never matched fuzzily."""
WORD_SHARE = 0.34
"""Share of one word's letters that may differ, one letter at least: beyond it, it is another word."""
_LOOKALIKE = {frozenset(pair) for pair in ("0o", "1l", "1i", "5s", "8b", "0d", "0q", "2z", "6g", "6b")}


def threshold(length: int) -> float:
    """The share that must agree, by the squeezed length of the value: stricter for short ones.

    Chosen by `bench/grounding.py`: from 0.1 below to 0.05 above these, true companies and addresses ground
    alike and the same wrong ones are refused; 0.08 above, two in a hundred true companies are lost. What
    refuses a value with one word changed is `WORD_SHARE`: without it 57 % of them pass, with it 1 %.
    """
    return 0.92 if length < 12 else 0.88 if length < 24 else 0.85


def look_up(value: str, index: SourceIndex) -> Lookup:
    """Find a squeezed value in the source's words with a few letters different."""
    words = words_of(value)
    needle, hay = words.compact, index.words.compact
    if len(needle) < SHORTEST or len(hay) < len(needle) // 2:
        return ABSENT
    least = threshold(len(needle))
    best = fuzz.partial_ratio_alignment(needle, hay, score_cutoff=100 * least)
    if best is None:
        return ABSENT
    place = index.words.of_compact(*_trimmed(needle, hay, best.dest_start, best.dest_end))
    start, end = _to_words(*place, index)
    window = index.words.squeezed[start:end]
    score = Levenshtein.normalized_similarity(needle, window.replace(" ", ""))
    if (
        score < least
        or not index.words.whole(start, end)
        or not digits_agree(words.squeezed, window)
        or not _each_word(words, window)
    ):
        return ABSENT
    return Lookup(Match.FUZZY, (index.word_span(start, end),), round(score, 3))


def _trimmed(needle: str, hay: str, start: int, end: int) -> tuple[int, int]:
    """A window without what it holds before the value's first letter and behind its last."""
    edits = Levenshtein.opcodes(needle, hay[start:end])
    first, last = edits[0], edits[-1]
    head = first.dest_end - first.dest_start if first.tag == "insert" else 0
    tail = last.dest_end - last.dest_start if last.tag == "insert" else 0
    return (start + head, end - tail) if head + tail < end - start else (start, end)


def _to_words(start: int, end: int, index: SourceIndex) -> tuple[int, int]:
    """Widen a window to whole words where it cuts one."""
    words = index.words
    while not words.parts(end):
        end += 1
    while not words.parts(start):
        start -= 1
    return start, end


def _each_word(words: Words, window: str) -> bool:
    """Whether no word of the value is another word in the window: each keeps most of its letters."""
    squeezed = words.squeezed
    needle = squeezed.replace(" ", "")
    spoilt = _spoilt(needle, window.replace(" ", ""))
    places = (at for at in range(len(squeezed) + 1) if words.parts(at))
    cuts = sorted({at - squeezed.count(" ", 0, at) for at in places})
    return all(
        sum(spoilt[2 * start : 2 * end + 1]) <= _allowed(needle, start, end) for start, end in pairwise(cuts)
    )


def _allowed(needle: str, start: int, end: int) -> int:
    """Letters of a word that may differ. None of a single one, nor of two before a number: "4A", "SS 2"."""
    if end - start == 1 or (end - start == 2 and needle[end : end + 1].isdecimal()):
        return 0
    return max(1, int(WORD_SHARE * (end - start)))


def _spoilt(needle: str, window: str) -> list[int]:
    """Letters that differ, two counts for each character of the needle: those put in before it, and itself.

    What is put in between two words so counts for both.
    """
    spoilt = [0] * (2 * len(needle) + 2)
    for edit in Levenshtein.opcodes(needle, window):
        length = edit.src_end - edit.src_start
        if edit.tag == "insert":
            spoilt[2 * edit.src_start] += edit.dest_end - edit.dest_start
        for step in range(length if edit.tag != "equal" else 0):
            other = window[edit.dest_start + step] if edit.dest_end - edit.dest_start == length else ""
            lookalike = frozenset((needle[edit.src_start + step], other)) in _LOOKALIKE
            spoilt[2 * (edit.src_start + step) + 1] += not lookalike
    return spoilt


def digits_agree(needle: str, window: str) -> bool:
    """Whether every difference between two squeezed texts leaves the digits alone, and parts none otherwise.

    One of several equally short ways to align them is looked at, and one from the other end.
    """
    return _edits_agree(needle, window) or _edits_agree(needle[::-1], window[::-1])


def _edits_agree(needle: str, window: str) -> bool:
    left, right = needle.replace(" ", ""), window.replace(" ", "")
    gaps, gaps_there = _gaps(needle), _gaps(window)
    for edit in Levenshtein.opcodes(left, right):
        if edit.tag == "equal":
            inner = range(1, edit.src_end - edit.src_start)
            shared = (((edit.src_start + at) in gaps, (edit.dest_start + at) in gaps_there) for at in inner)
            if any(one != other for one, other in shared):
                return False
            continue
        one, other = left[edit.src_start : edit.src_end], right[edit.dest_start : edit.dest_end]
        if any(map(str.isdecimal, one + other)) and not _alike(one, other):
            return False
    return True


def _gaps(squeezed: str) -> set[int]:
    """Where a squeezed text parts digits, as offsets in it without its spaces: "1 2" is not "12".

    Beside a letter that was read for a digit a gap comes and goes: "NO 113" is "N0 113".
    """
    spaces = (at for at, char in enumerate(squeezed) if char == " ")
    return {at - number for number, at in enumerate(spaces)}


def _alike(left: str, right: str) -> bool:
    """Whether each digit stands against a letter that looks like it; letters may differ freely."""
    return len(left) == len(right) and all(
        frozenset((one, two)) in _LOOKALIKE or not (one.isdecimal() or two.isdecimal())
        for one, two in zip(left, right, strict=True)
    )

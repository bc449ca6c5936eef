"""Text over columns: a value whose lines are parted by what stands beside it in another column.

The value is taken piece by piece: each is the longest stretch of whole words that stands as it is and ends
with a line or a column, and the next begins a little further on, in the same column. Every word is matched
exactly; only other columns are skipped, so that one party's name never joins another's address.
"""

from __future__ import annotations

from validators.grounding.words import Words, words_of

FURTHEST = 160
"""Squeezed characters between two pieces: about two printed lines."""
SHORTEST = 5
"""Squeezed characters of the shortest piece, so that a stray "of" is none."""
MOST_PIECES = 5
INDENT = 4
"""Characters by which the lines of one column may begin apart."""
MOST_STARTS = 16


def find(value: str, source: Words) -> tuple[int, int] | None:
    """The squeezed range of the source that holds the value's pieces in order; None if there is none."""
    words = words_of(value)
    needle = words.squeezed
    if len(needle) < 2 * SHORTEST:
        return None
    first = next((at for at in range(SHORTEST, len(needle) + 1) if words.parts(at)), 0)
    starts = _starts(needle[:first], source)
    cuts = [at for at in range(first, len(needle) + 1) if words.parts(at)] if starts else []
    for start, _ in starts:
        if (end := _follow(needle, cuts, start, source)) is not None:
            return start, end
    return None


def _starts(piece: str, source: Words) -> list[tuple[int, int]]:
    return source.find(piece, MOST_STARTS) if piece else []


def _follow(needle: str, cuts: list[int], start: int, source: Words) -> int | None:
    """Where the last piece ends, if the first stands at `start`."""
    done, at = 0, start
    for _ in range(MOST_PIECES):
        taken = _longest(needle, done, cuts, at, source)
        if not taken:
            return None
        at += taken
        done += taken
        if done == len(needle):
            return at
        done += needle[done] == " "
        ahead = needle[done : next((cut for cut in cuts if cut >= done + SHORTEST), len(needle))]
        at = _next(ahead, at, source.column(start), source)
        if at < 0:
            return None
    return None


def _ends(at: int, source: Words) -> bool:
    """Whether a word ends at an offset, and with it a line or a column."""
    following = at + (source.squeezed[at : at + 1] == " ")
    return source.parts(at) and source.breaks(following)


def _next(piece: str, at: int, column: tuple[int, int], source: Words) -> int:
    """Where a piece stands that begins a line or a column of its own kind, not far behind `at`; else -1."""
    end = at + FURTHEST + len(piece)
    found = source.squeezed.find(piece, at, end)
    while found >= 0 and not (source.parts(found) and source.breaks(found) and _same(found, column, source)):
        found = source.squeezed.find(piece, found + 1, end)
    return found


def _same(at: int, column: tuple[int, int], source: Words) -> bool:
    """Whether a place lies in the column: as many stand before it in its line, or it begins below it."""
    number, offset = source.column(at)
    return number == column[0] or abs(offset - column[1]) <= INDENT


def _longest(needle: str, done: int, cuts: list[int], at: int, source: Words) -> int:
    """Length of the longest piece from `done` that stands at `at` and ends with a word on both sides."""
    best = 0
    for cut in cuts:
        length = cut - done
        if length <= 0:
            continue
        if not source.squeezed.startswith(needle[done:cut], at):
            break
        whole = cut == len(needle) and source.parts(at + length)
        if whole or (length >= SHORTEST and _ends(at + length, source)):
            best = length
    return best

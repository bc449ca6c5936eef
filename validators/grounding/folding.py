"""Folding: the text as it compares, with an exact map back to the original offsets.

NFKC (ligatures, full-width forms, composed accents), case folding, any script's digits to ASCII, quotes and
dashes to one form; soft hyphens, zero-width characters and direction marks are left out. Line breaks and
white space stay, so that the map is the identity wherever nothing was folded.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache

from schemas.records import Span

MAX_GROUP = 32
"""Longest run of combining marks that is composed at once: Unicode's stream-safe limit (UAX 15), rounded up.
Without it, a megabyte of marks takes quadratic time to order."""

_PUNCTUATION = {
    **dict.fromkeys("‘’‚‛′`´ʼʹ", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−﹘﹣⁃", "-"),
    **dict.fromkeys("・‧", "·"),
}

_STROKES = dict(zip("łøđðħŧıɨʉƶ", "loddhtiiuz", strict=True))
"""Letters that Unicode does not take apart."""


class Folded:
    """A folded text. `text` is what is compared; `span()` gives a range's place in the original."""

    __slots__ = ("_at", "_ends", "_from", "text")

    def __init__(self, text: str, at: list[int], origins: list[int], ends: list[int]) -> None:
        self.text = text
        self._at = at  # offsets in `text` where the distance to the original changes
        self._from = origins  # the original offset of each
        self._ends = ends  # -1 where characters map one to one from here, else the original end of the group

    def unaccented(self) -> Folded:
        """The same without accents, letter for letter: offsets stay as they are."""
        return Folded("".join(map(_base, self.text)), self._at, self._from, self._ends)

    def span(self, start: int, end: int) -> Span:
        """The original range of the folded range [start, end), whole characters and their marks."""
        return Span(self._start(start), self._end(end) if end > start else self._start(start))

    def _start(self, offset: int) -> int:
        step = bisect_right(self._at, offset) - 1
        if self._ends[step] >= 0:
            return self._from[step]
        return self._from[step] + offset - self._at[step]

    def _end(self, offset: int) -> int:
        step = bisect_right(self._at, offset - 1) - 1
        if self._ends[step] >= 0:
            return self._ends[step]
        return self._from[step] + offset - self._at[step]


def fold(text: str) -> Folded:
    """Fold `text`. Linear in its length."""
    if text.isascii():
        return Folded(text.lower(), [0], [0], [-1])
    return _Folder(text).fold()


def folded(value: str) -> str:
    """The folded form of a short value, without a map."""
    return value.lower() if value.isascii() else fold(value).text


class _Folder:
    """Walks a text once; stretches that fold character by character are copied whole."""

    def __init__(self, text: str) -> None:
        self.text = text
        plain = {char for char in set(text) if _is_plain(char)}
        self.table = {ord(char): _plain(char) for char in plain}
        self.odd = "".join(set(text) - plain)
        self.parts: list[str] = []
        self.length = 0
        self.at: list[int] = [0]
        self.origins: list[int] = [0]
        self.ends: list[int] = [-1]

    def fold(self) -> Folded:
        done = 0
        for match in re.finditer(rf"(?s:.)?[{self.odd}]+", self.text) if self.odd else ():
            self._copy(self.text[done : match.start()].translate(self.table))
            self._foreign(match.start(), match.end())
            done = match.end()
        self._copy(self.text[done:].translate(self.table))
        return Folded("".join(self.parts), self.at, self.origins, self.ends)

    def _copy(self, part: str) -> None:
        self.parts.append(part)
        self.length += len(part)

    def _foreign(self, start: int, end: int) -> None:
        while start < end:
            after = start + 1
            while after < end and after - start < MAX_GROUP and _joins(self.text[after]):
                after += 1
            self._group(start, after)
            start = after

    def _group(self, start: int, end: int) -> None:
        out = self.text[start] if self._stands_apart(start, end) else _fold_group(self.text[start:end])
        if len(out) == 1 and end - start == 1:
            self._copy(out)
            return
        if out:
            self._step(start, end)
        self._copy(out)
        self._step(end, -1)

    def _stands_apart(self, start: int, end: int) -> bool:
        """Whether a raised, circled or fractional number would run into digits: "50.00¹" is no 50.001."""
        if end - start > 1 or not _holds_digits(self.text[start]):
            return False
        around = self.text[max(0, start - 1) : start] + self.text[end : end + 1]
        fraction = unicodedata.numeric(self.text[start], 0) % 1 != 0
        return fraction or any(char.isdecimal() or _holds_digits(char) for char in around)

    def _step(self, origin: int, end: int) -> None:
        if self.at[-1] == self.length:
            self.origins[-1], self.ends[-1] = origin, end
            return
        self.at.append(self.length)
        self.origins.append(origin)
        self.ends.append(end)


@lru_cache(maxsize=65536)
def _base(char: str) -> str:
    """A letter without its accent or stroke; other characters as they are."""
    return char if char.isascii() else _STROKES.get(char) or unicodedata.normalize("NFD", char)[0]


@lru_cache(maxsize=65536)
def _holds_digits(char: str) -> bool:
    """Whether a character that is no digit of any script unfolds to one: "²", "½", "①"."""
    return not char.isdecimal() and any(map(str.isdecimal, unicodedata.normalize("NFKC", char)))


@lru_cache(maxsize=65536)
def _joins(char: str) -> bool:
    """Whether the character may compose with the one before it: a mark, or a Hangul vowel or final."""
    return char > "\u02ff" and (
        unicodedata.combining(char) != 0
        or "\u1160" <= char <= "\u11ff"
        or char
        in "\u09be\u09d7\u0b3e\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u102e\u3099\u309a"
        or char in "\uff9e\uff9f"
    )


@lru_cache(maxsize=65536)
def _is_plain(char: str) -> bool:
    """Whether a character folds to one, whatever stands beside it."""
    return char.isascii() or (len(_fold_group(char)) == 1 and not _joins(char) and not _holds_digits(char))


def _plain(char: str) -> str:
    return char.lower() if char.isascii() else _fold_group(char)


@lru_cache(maxsize=65536)
def _fold_group(group: str) -> str:
    if group in _PUNCTUATION:
        return _PUNCTUATION[group]
    out = unicodedata.normalize("NFKC", group.casefold())
    out = unicodedata.normalize("NFKC", out.casefold())
    return "".join(map(_fold_char, out)) if not out.isascii() else out


def _fold_char(char: str) -> str:
    if char in _PUNCTUATION:
        return _PUNCTUATION[char]
    category = unicodedata.category(char)
    if category == "Cn" and "\U00010000" <= char < "\U00020000":
        return chr(
            0x20000 + (ord(char) & 0xFFFF)
        )  # a script newer than Python's tables: letters, for matching
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if category == "Cf" or char in "\u034f\ufe0e\ufe0f\u0307":
        return ""
    return char

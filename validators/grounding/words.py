"""The words of a folded text, squeezed together so that spacing and punctuation no longer matter.

Squeezed, "NO.53 55,57 & 59, Jalan-\\nSagu" reads `no53 55 57 59jalansagu`: letters run on, "&" and "and" are
left out, and a space stands only between two runs of digits, so that "5 3" is never "53". A match must begin
and end where a word or a number does.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import compress, islice

from validators.grounding.folding import Folded, fold, folded

GAP = "\x00"
_AND = re.compile(r"(?<=\s)(?<![a-z]-\n)and(?=\s)")
_MARK = frozenset(".,'")
"""What may stand within one number."""
_GAP_ASCII = re.compile(r"(?<=[0-9])[^a-z0-9](?=[^a-z0-9]*[0-9])")
_GAP_ANY = re.compile(r"(?<=[0-9])[\W_](?=[\W_]*[0-9])")
_KEPT_ASCII = b"abcdefghijklmnopqrstuvwxyz0123456789\x00"
_MASK = bytes(code in _KEPT_ASCII for code in range(256))
_DROP = {code: None for code in range(128) if code not in _KEPT_ASCII} | {0: " "}
_BREAK = re.compile(r"\n|\t|\s\s|\|")
_COLUMN = re.compile(r"[ \t]*[\t|][ \t]*|  +")
SHORT = 2
"""Letters of a word that is looked for with its surroundings."""
LONGEST_LINE = 400
"""Characters of a line that are looked at to know a place's column."""
_RUN_ON = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f"
    "\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Scripts that write words without spaces, or with endings attached."""


@lru_cache(maxsize=65536)
def _is_kept(char: str) -> bool:
    """Whether a character is part of a word: letters, digits, and the marks that belong to a letter."""
    return char.isalnum() or char == GAP or unicodedata.category(char) in ("Mn", "Mc")


def _mark(text: str) -> str:
    """The text with "and" blanked and each gap between two numbers marked, in the same length."""
    text = _AND.sub("\x01\x01\x01", text.replace(GAP, "\x01"))
    return (_GAP_ASCII if text.isascii() else _GAP_ANY).sub(GAP, text)


def _mask(marked: str) -> Iterator[bool]:
    """For each character of a marked text whether it is kept."""
    kept = {char for char in set(marked) if _is_kept(char)}
    return map(kept.__contains__, marked)


def _squeeze(marked: str) -> str:
    if marked.isascii():
        return marked.translate(_DROP)
    return "".join(compress(marked, _mask(marked))).replace(GAP, " ")


@lru_cache(maxsize=4096)
def squeeze(value: str) -> str:
    """The squeezed form of a value: what `Words.find` takes."""
    return _squeeze(_mark(folded(value)))


class Words:
    """A folded text's words. `squeezed` is what is searched."""

    def __init__(self, source: Folded) -> None:
        self._text = source.text
        self._marked = _mark(source.text)
        self.squeezed = _squeeze(self._marked)

    @cached_property
    def _at(self) -> list[int]:
        """The folded offset of each squeezed character."""
        marked = self._marked
        kept = marked.encode().translate(_MASK) if marked.isascii() else _mask(marked)
        return list(compress(range(len(marked)), kept))

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The folded range of the squeezed range [start, end)."""
        return self._at[start], self._at[end - 1] + 1

    def find(self, needle: str, limit: int = 64) -> list[tuple[int, int]]:
        """Squeezed ranges where `needle` (squeezed) stands as whole words, at most `limit` of them."""
        starts = self._short(needle) if len(needle) <= SHORT else self._starts(needle)
        places = ((at, at + len(needle)) for at in starts)
        return list(islice((place for place in places if self.whole(*place)), limit))

    def _starts(self, needle: str) -> Iterator[int]:
        at = self.squeezed.find(needle)
        while at >= 0:
            yield at
            at = self.squeezed.find(needle, at + 1)

    def _short(self, needle: str) -> Iterator[int]:
        """Where a needle of a few letters stands, places within longer words left out where that is plain:
        "r" and "kr" are found a hundred times as often as they are words."""
        if not (needle.isascii() and needle.isalpha()):
            yield from self._starts(needle) if needle else ()
            return
        first, rest = needle[0], "".join(rf"[\W_]*+{letter}" for letter in needle[1:])
        for match in re.finditer(rf"{first}(?<![a-z]{first})(?={rest}(?![a-z]))", self._marked):
            at = bisect_left(self._at, match.start())
            if self.squeezed.startswith(needle, at):
                yield at

    def whole(self, start: int, end: int) -> bool:
        """Whether [start, end) begins and ends with a word, or in a script that does not part words."""
        if not (self.parts(start) and self.parts(end)):
            return False
        return not (self._cuts_number(start - 1) or self._cuts_number(end))

    def _cuts_number(self, gap: int) -> bool:
        """Whether the gap at a squeezed offset is the mark within a number: "5" is no part of "2.5"."""
        if not 0 < gap < len(self.squeezed) - 1 or self.squeezed[gap] != " ":
            return False
        before, after = self._at[gap - 1], self._at[gap + 1]
        return after - before == 2 and self._text[before + 1] in _MARK

    def parts(self, at: int) -> bool:
        """Whether a word or number ends before the squeezed offset, and another begins at it."""
        text = self.squeezed
        if at <= 0 or at >= len(text):
            return True
        before, after = text[at - 1], text[at]
        if before.isdecimal() != after.isdecimal() or self._at[at] != self._at[at - 1] + 1:
            return True
        if before.isascii() and after.isascii():
            return False
        return not before.isdecimal() and bool(_RUN_ON.match(before) or _RUN_ON.match(after))

    def breaks(self, at: int) -> bool:
        """Whether a line ends or a column gap lies before the squeezed offset."""
        if at <= 0 or at >= len(self.squeezed):
            return True
        before = self._at[at - 1] if self.squeezed[at - 1] != " " else self._at[at - 2]
        return bool(_BREAK.search(self._text, before + 1, self._at[at]))

    def column(self, at: int) -> tuple[int, int]:
        """Where in its line a squeezed offset lies: how many columns stand before it, and characters."""
        place = self._at[at]
        line = self._text[max(self._text.rfind("\n", 0, place) + 1, place - LONGEST_LINE) : place]
        return len(_COLUMN.findall(line.lstrip())), len(line)

    @property
    def compact(self) -> str:
        """The squeezed text without its spaces."""
        return self._compact[0]

    def of_compact(self, start: int, end: int) -> tuple[int, int]:
        """The squeezed range of the compact range [start, end)."""
        gaps = self._compact[1]
        return start + bisect_right(gaps, start), end + bisect_left(gaps, end)

    @cached_property
    def _compact(self) -> tuple[str, list[int]]:
        """The squeezed text without its spaces, and the compact offset of each space left out."""
        spaces = (match.start() for match in re.finditer(" ", self.squeezed))
        return self.squeezed.replace(" ", ""), [at - number for number, at in enumerate(spaces)]

    def find_compact(self, needle: str, limit: int = 64) -> list[tuple[int, int]]:
        """Squeezed ranges where `needle` stands when no separator counts, whole words still."""
        compact = self.compact
        found: list[tuple[int, int]] = []
        at = compact.find(needle)
        while at >= 0 and len(found) < limit:
            start, end = self.of_compact(at, at + len(needle))
            if self.whole(start, end):
                found.append((start, end))
            at = compact.find(needle, at + 1)
        return found


@lru_cache(maxsize=64)
def words_of(value: str) -> Words:
    """The words of a value, which several ways of looking for it need."""
    return Words(fold(value))

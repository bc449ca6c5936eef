"""The words of a folded text, squeezed together so that spacing and punctuation no longer matter.

Squeezed, "NO.53 55,57, Jalan-\\nSagu" reads `no53 55 57jalansagu`: letters run on, and a space stands only between
two runs of digits, so that "5 3" is never "53". A match must begin and end where a word or a number does.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from functools import cached_property, lru_cache

from validators.grounding.folding import Folded, folded

_ASCII_WORD = re.compile(r"[a-z]+|[0-9]+|&")
_RUN_ON = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)


@lru_cache(maxsize=1)
def _any_word() -> re.Pattern[str]:
    """Letters with their marks, or digits, in any script. Python's own \\w leaves vowel signs out."""
    marks = [code for code in range(0x300, 0x12000) if unicodedata.category(chr(code)) in ("Mn", "Mc")]
    ranges: list[list[int]] = []
    for code in marks:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    signs = "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges)
    return re.compile(rf"(?:[^\W\d_]|[{signs}])+|\d+|&")


def word_pattern(text: str) -> re.Pattern[str]:
    """The quickest pattern that splits `text` into words and numbers."""
    return _ASCII_WORD if text.isascii() else _any_word()


class Words:
    """A folded text's words. `squeezed` is what is searched; `starts` and `ends` are its words' offsets."""

    def __init__(self, source: Folded) -> None:
        self._matches = list(word_pattern(source.text).finditer(source.text))
        parts: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        at, digits = 0, False
        for match in self._matches:
            word = match[0]
            number = word[0].isdecimal()
            if number and digits:
                parts.append(" ")
                at += 1
            elif word == "&":
                word = "and"
            parts.append(word)
            self.starts.append(at)
            at += len(word)
            self.ends.append(at)
            digits = number
        self.squeezed = "".join(parts)

    @cached_property
    def tokens(self) -> list[str]:
        """The words themselves, in order."""
        return [self.squeezed[start:end] for start, end in zip(self.starts, self.ends, strict=True)]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The folded range of the squeezed range [start, end), widened to nothing but what it holds."""
        first = max(0, bisect_left(self.starts, start + 1) - 1)
        last = bisect_left(self.ends, end)
        begin, finish = self._matches[first], self._matches[min(last, len(self._matches) - 1)]
        head = min(begin.start() + max(0, start - self.starts[first]), begin.end())
        tail = finish.end() - max(0, self.ends[min(last, len(self.ends) - 1)] - end)
        return head, max(head, tail)

    def find(self, needle: str, limit: int = 64) -> list[tuple[int, int]]:
        """Squeezed ranges where `needle` (squeezed) stands as whole words, at most `limit` of them."""
        found: list[tuple[int, int]] = []
        at = self.squeezed.find(needle) if needle else -1
        while at >= 0 and len(found) < limit:
            if self.whole(at, at + len(needle)):
                found.append((at, at + len(needle)))
            at = self.squeezed.find(needle, at + 1)
        return found

    def whole(self, start: int, end: int) -> bool:
        """Whether [start, end) begins and ends with a word, or in a script that does not part words."""
        return self.begins_word(start) and self.ends_word(end)

    def begins_word(self, start: int) -> bool:
        """Whether a word begins at a squeezed offset."""
        place = bisect_left(self.starts, start)
        if place < len(self.starts) and self.starts[place] == start:
            return True
        return bool(_RUN_ON.match(self.squeezed, start)) and not self.squeezed[start].isdecimal()

    def ends_word(self, end: int) -> bool:
        """Whether a word ends at a squeezed offset."""
        place = bisect_left(self.ends, end)
        if place < len(self.ends) and self.ends[place] == end:
            return True
        return bool(_RUN_ON.match(self.squeezed, end - 1)) and not self.squeezed[end - 1].isdecimal()

    @cached_property
    def _compact(self) -> tuple[str, list[int]]:
        """The squeezed text without its spaces, and the squeezed offset of each space left out."""
        gaps = [at - number for number, at in enumerate(i for i, c in enumerate(self.squeezed) if c == " ")]
        return self.squeezed.replace(" ", ""), gaps

    def find_compact(self, needle: str, limit: int = 64) -> list[tuple[int, int]]:
        """Squeezed ranges where `needle` stands when no separator counts, whole words still."""
        compact, gaps = self._compact
        found: list[tuple[int, int]] = []
        at = compact.find(needle)
        while at >= 0 and len(found) < limit:
            start = at + bisect_right(gaps, at)
            end = at + len(needle) + bisect_left(gaps, at + len(needle))
            if self.whole(start, end):
                found.append((start, end))
            at = compact.find(needle, at + 1)
        return found


@lru_cache(maxsize=4096)
def squeeze(value: str) -> str:
    """The squeezed form of a value: what `Words.find` takes."""
    text = folded(value)
    parts: list[str] = []
    digits = False
    for word in word_pattern(text).findall(text):
        number = word[0].isdecimal()
        parts.append(f" {word}" if number and digits else "and" if word == "&" else word)
        digits = number
    return "".join(parts)

"""Which row a decision speaks of, though rows were added and removed meanwhile.

Rows are numbered as the run had them, added ones behind all that were there; the number of a removed row is
not given again. So `/lines/1/amount` of a decision that came after row 0 was removed is `/lines/2/amount`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any


def placed(decisions: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each decision with the pointer of its place in the run's answer. They come in the order of making."""
    removed: dict[str, set[int]] = defaultdict(set)
    for decision in decisions:
        place = _place(decision["pointer"], removed)
        if decision["decision"] == "removed":
            above, _, number = place.rpartition("/")
            removed[above].add(int(number))
        yield place, decision


def _place(pointer: str, removed: Mapping[str, set[int]]) -> str:
    """A pointer by the numbers that rows had, and keep."""
    found = ""
    for step in pointer.split("/")[1:]:
        gone = removed.get(found, ())
        found += f"/{_number(int(step), gone) if gone else step}"
    return found


def _number(index: int, removed: Iterable[int]) -> int:
    """The number of the row that stands at an index once some are removed."""
    for number in sorted(removed):
        index += number <= index
    return index

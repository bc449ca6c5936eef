"""The places of an answer that a page has a card for, in order, and which one a person goes on with.

Every value has one, and so have the end of each list, where a row can be added, and each object that is null,
which can be filled in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flows.review.changes import Changed, fewest, most
from schemas.contract import ExtractionSchema
from schemas.shape import Array, Node, Object, Scalar
from schemas.unknown import asked


@dataclass(frozen=True, slots=True)
class Head:
    """A row or an object that begins here, and the kind of change that takes it away; None where none may."""

    pointer: str
    change: str | None


@dataclass(frozen=True, slots=True)
class Place:
    """One place: a `value`, the end of a `list`, or a null `object`.

    `heads` begin with it. `asks` are the values that must be given with a row or an object, by their pointers
    below it; `limit` says why a list cannot grow. A value `is_removable` that is a row itself; `choices` are
    what it can be, where that is a closed list.
    """

    kind: str
    pointer: str
    value: Any
    may_be_null: bool
    heads: tuple[Head, ...] = ()
    asks: tuple[str, ...] = ()
    limit: str = ""
    is_removable: bool = False
    choices: tuple[str, ...] = ()

    @property
    def new(self) -> str:
        """The pointer of what can be added or filled in here."""
        return f"{self.pointer}/{len(self.value or [])}" if self.kind == "list" else self.pointer


def places(schema: type[ExtractionSchema], answer: dict[str, Any]) -> list[Place]:
    """The places of an answer that has every place of its schema (`fitted`). The reasoning has none."""
    return list(_members(Object(schema), answer, ""))


def _members(node: Object, values: dict[str, Any], pointer: str) -> Iterator[Place]:
    for name, member in node.members:
        if pointer or name != "reasoning":
            yield from _places(member, values[name], f"{pointer}/{name}")


def _places(node: Node, value: Any, pointer: str, row: Head | None = None) -> Iterator[Place]:
    if isinstance(node, Scalar):
        removable = bool(row and row.change)
        yield Place("value", pointer, value, node.nullable, is_removable=removable, choices=node.choices)
    elif isinstance(node, Array):
        yield from _headed(row, _list(node, value, pointer))
    elif value is None:
        yield from _headed(row, iter([Place("object", pointer, None, node.nullable, asks=_asks(node))]))
    else:
        head = row or Head(pointer, "absent" if node.nullable else None)
        yield from _headed(head, _members(node, value, pointer))


def _list(node: Array, value: Any, pointer: str) -> Iterator[Place]:
    rows = value or []
    change = None if fewest(node.bounds, len(rows)) else "remove"
    for index, row in enumerate(rows):
        place = f"{pointer}/{index}"
        yield from _places(node.item, row, place, Head(place, change))
    limit = most(node.bounds, len(rows))
    yield Place("list", pointer, value, node.nullable, asks=_asks(node.item), limit=limit)


def _headed(head: Head | None, below: Iterator[Place]) -> Iterator[Place]:
    first = next(below, None)
    if first is not None:
        yield replace(first, heads=(head, *first.heads)) if head else first
        yield from below


def _asks(node: Node) -> tuple[str, ...]:
    return tuple(below for below, _ in asked(node, there=True))


def next_anchor(shown: Sequence[Place], done: Changed) -> str | None:
    """The id of what a person goes on with after a change: `value-3` takes the keys, `card-3` is lit up only.

    None where that is up to the page: it begins with what is wrong.
    """
    if done.decision in ("added", "filled"):
        return _box(_at(shown, done.pointer))
    if done.decision == "removed":
        return _box(_at(shown, done.pointer, _before(done.pointer), done.place))
    here = _at(shown, done.pointer)
    if here is None or shown[here].kind != "value":
        return _box(here)
    return _unknown_beside(shown, here)


def _box(number: int | None) -> str | None:
    return None if number is None else f"value-{number}"


def _at(shown: Sequence[Place], *pointers: str) -> int | None:
    """The first place at or below the first of these that has one."""
    for pointer in pointers:
        for number, place in enumerate(shown):
            if f"{place.pointer}/".startswith(f"{pointer}/"):
                return number
    return None


def _before(row: str) -> str:
    above, _, number = row.rpartition("/")
    return f"{above}/{int(number) - 1}"


def _unknown_beside(shown: Sequence[Place], number: int) -> str | None:
    """The next value of the same row or object, where a person is filling that in: all behind are unknown."""
    above, _, _ = shown[number].pointer.rpartition("/")
    behind = [later for later in range(number + 1, len(shown)) if _is_in(shown[later], above)]
    if not behind or any(shown[later].value is not None for later in behind):
        return None
    return f"card-{behind[0]}"


def _is_in(place: Place, above: str) -> bool:
    return bool(above) and place.kind == "value" and place.pointer.rpartition("/")[0] == above

"""What a person does to an answer: correct a value, say that there is none, add or remove a row, fill in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flows.review.answer import at, corrected, node_at, typed
from schemas.contract import ExtractionSchema
from schemas.errors import UsageError
from schemas.shape import Array, Bounds, Node, Object
from schemas.unknown import asked, unknown

Schema = type[ExtractionSchema]
Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """What is asked for at a pointer; of a new row that is the list's.

    `kind` is one of `KINDS`. `texts` are what was typed, each by its own pointer below that of the change.
    """

    kind: str
    pointer: str
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Changed:
    """An answer after a change.

    `decision` and `pointer` are how it is recorded: the pointer of a removed row is the one that it had.
    `place` is what the change says something about: for a removed row the list, which is one shorter.
    """

    answer: Answer
    decision: str
    pointer: str
    place: str


def changed(schema: Schema, answer: Answer, change: Change) -> Changed:
    """A changed copy of an answer, which has every place of its schema (`fitted`).

    Raises UsageError where there is no such place, or the schema allows no such change.
    """
    return KINDS[change.kind](schema, answer, change)


def _correct(schema: Schema, answer: Answer, change: Change) -> Changed:
    value = typed(schema, answer, change.pointer, change.texts.get("", ""))
    decision = "absent" if value is None else "corrected"
    return Changed(corrected(answer, change.pointer, value), decision, change.pointer, change.pointer)


def _absent(_: Schema, answer: Answer, change: Change) -> Changed:
    return Changed(corrected(answer, change.pointer, None), "absent", change.pointer, change.pointer)


def _add(schema: Schema, answer: Answer, change: Change) -> Changed:
    node, rows = _list(schema, answer, change.pointer)
    if told := most(node.bounds, len(rows)):
        raise UsageError(f"{change.pointer} cannot have another row: {told}")
    row = f"{change.pointer}/{len(rows)}"
    grown = corrected(answer, change.pointer, [*rows, unknown(node.item, there=True)])
    return Changed(_given(schema, grown, node.item, row, change.texts), "added", row, row)


def _remove(schema: Schema, answer: Answer, change: Change) -> Changed:
    at(answer, change.pointer)
    place, _, number = change.pointer.rpartition("/")
    node, rows = _list(schema, answer, place)
    if told := fewest(node.bounds, len(rows)):
        raise UsageError(f"{change.pointer} cannot be removed: {told}")
    rest = [row for index, row in enumerate(rows) if index != int(number)]
    return Changed(corrected(answer, place, rest), "removed", change.pointer, place)


def _fill(schema: Schema, answer: Answer, change: Change) -> Changed:
    node = node_at(schema, change.pointer)
    if not isinstance(node, Object) or at(answer, change.pointer) is not None:
        raise UsageError(f"{change.pointer} is nothing that can be filled in")
    filled = corrected(answer, change.pointer, unknown(node, there=True))
    answer = _given(schema, filled, node, change.pointer, change.texts)
    return Changed(answer, "filled", change.pointer, change.pointer)


KINDS: dict[str, Callable[[Schema, Answer, Change], Changed]] = {
    "correct": _correct,
    "absent": _absent,
    "add": _add,
    "remove": _remove,
    "fill": _fill,
}


def most(bounds: Bounds, rows: int) -> str:
    """Why a list of so many rows cannot grow; empty where it can."""
    limit = bounds.max_length
    return f"the schema allows {rows_told(limit)} at most" if limit is not None and rows >= limit else ""


def fewest(bounds: Bounds, rows: int) -> str:
    """Why a list of so many rows cannot shrink; empty where it can."""
    limit = bounds.min_length or 0
    return f"the schema asks for {rows_told(limit)} at least" if rows <= limit else ""


def rows_told(count: int) -> str:
    """`1 row`, `2 rows`."""
    return f"{count} row{'s' if count != 1 else ''}"


def _list(schema: Schema, answer: Answer, pointer: str) -> tuple[Array, list[Any]]:
    """The list at a pointer, a null one without rows. Raises UsageError where there is none."""
    node, rows = node_at(schema, pointer), at(answer, pointer)
    if not isinstance(node, Array) or not isinstance(rows, list | None):
        raise UsageError(f"{pointer or 'the answer'} is no list")
    return node, rows or []


def _given(schema: Schema, answer: Answer, node: Node, place: str, texts: Mapping[str, str]) -> Answer:
    """An answer with what must not stay unknown at a place that is new, as it was typed."""
    for below, _ in asked(node, there=True):
        value = typed(schema, answer, place + below, texts.get(below, ""))
        if value is None:
            raise UsageError(f"{place}{below} may not be absent: give its value, and it is added with that")
        answer = corrected(answer, place + below, value)
    return answer

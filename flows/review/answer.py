"""An answer as a person corrects it: its leaves, one value read and put in place, the labels that follow."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from flows.output import fit, plain
from schemas.contract import ExtractionSchema
from schemas.errors import UsageError
from schemas.shape import Array, Node, Object, member
from validators.comparison.labels import LabelReader, conventions
from validators.comparison.readings import AnyOf

_PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?")
# One way to write each place (RFC 6901, section 4): labels are found again by how their pointer is written.
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


def object_of(text: str | None) -> dict[str, Any] | None:
    """An answer's JSON as an object, None where it is none."""
    value = json.loads(text) if text else None
    return value if isinstance(value, dict) else None


def leaves(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Pointer and value of each leaf in order; an empty list or object is one. Reasoning is left out."""
    if isinstance(value, dict) and value:
        for name, item in value.items():
            if pointer or name != "reasoning":
                yield from leaves(item, f"{pointer}/{_escaped(name)}")
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, f"{pointer}/{index}")
    else:
        yield pointer, value


def corrected(answer: dict[str, Any], pointer: str, value: Any) -> dict[str, Any]:
    """A copy of an answer with another value at a pointer. Raises UsageError where there is no such place."""
    changed = copy.deepcopy(answer)
    *parents, last = _steps(pointer) or [""]
    place: Any = changed
    for step in parents:
        place = place[_key(place, step, pointer)]
    place[_key(place, last, pointer)] = value
    return changed


def at(answer: Any, pointer: str) -> Any:
    """The value at a pointer. Raises UsageError where there is none."""
    for step in _steps(pointer):
        answer = answer[_key(answer, step, pointer)]
    return answer


def typed(schema: type[ExtractionSchema], answer: dict[str, Any], pointer: str, text: str) -> Any:
    """A typed text as the schema has it there: `1.234,56 €` as a number, `5 June 2018` as a day.

    Raises UsageError where it cannot be read, or in more than one way.
    """
    given = corrected(answer, pointer, text)
    read, unusable = LabelReader(schema, conventions(schema, [given])).read(given)
    for one in unusable:
        if one.pointer == pointer:
            raise UsageError(one.reason)
    value = at(read, pointer)
    if isinstance(value, AnyOf):
        ways = ", ".join(str(plain(one)) for one in value.values)
        raise UsageError(f"this can be read in more than one way: {ways}. Write it so that one is left.")
    return text if _is_written_so(value, text) else plain(value)


def _is_written_so(value: Any, text: str) -> bool:
    """Whether a text is a number's plain form already: 7.50 keeps its zero."""
    return isinstance(value, Decimal) and _PLAIN.fullmatch(text) is not None and Decimal(text) == value


def labelled(answer: dict[str, Any], pointer: str) -> Iterator[tuple[str, Any]]:
    """The labels that say that an answer is right at a pointer, everywhere for the empty one.

    A list is labelled as a whole: what one of its rows holds says nothing of how many there are. An object's
    own label is `{}`: it is there, and each of its members has a label of its own.
    """
    for place in [pointer] if pointer else [place for place, _ in leaves(answer)]:
        whole = _whole_list(answer, place) or place
        value = at(answer, whole)
        yield whole, {} if isinstance(value, dict) else value


def _whole_list(answer: Any, pointer: str) -> str | None:
    """The outermost list that a place is, or stands in; None outside of lists."""
    steps = _steps(pointer)
    for count in range(1, len(steps) + 1):
        above = "/" + "/".join(map(_escaped, steps[:count]))
        if isinstance(at(answer, above), list):
            return above
    return None


def node_at(schema: type[ExtractionSchema], pointer: str) -> Node:
    """What the schema has at a pointer. Raises UsageError where it has nothing there."""
    node: Node = Object(schema)
    for step in _steps(pointer):
        if isinstance(node, Array) and _INDEX.fullmatch(step):
            node = node.item
        elif isinstance(node, Object) and step in node.cls.model_fields:
            node = member(node.cls, step)
        else:
            raise _no_place(pointer)
    return node


def as_text(value: Any) -> str:
    """A leaf as a person reads it; empty for null."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _steps(pointer: str) -> list[str]:
    """A pointer's steps, unescaped. Raises UsageError where it is none."""
    before, *steps = pointer.split("/")
    if before:
        raise _no_place(pointer)
    return [step.replace("~1", "/").replace("~0", "~") for step in steps]


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _key(place: Any, step: str, pointer: str) -> Any:
    if isinstance(place, dict) and step in place:
        return step
    if isinstance(place, list) and _INDEX.fullmatch(step) and int(step) < len(place):
        return int(step)
    raise _no_place(pointer)


def _no_place(pointer: str) -> UsageError:
    return UsageError(f"the answer has no place {fit(repr(pointer), 80).rstrip()}")

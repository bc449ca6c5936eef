"""Level `correctness`: is each value what the label says, wrong, missed or invented?

Null is right where the label says null. A field that the label does not have is not scored.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from pydantic import BaseModel

from schemas.contract import ExtractionSchema
from schemas.records import Category, Finding, Level, Severity
from schemas.shape import Array, Node, Object, Scalar
from validators import schema as schema_level
from validators.comparison.alignment import align
from validators.comparison.readings import AnyOf
from validators.comparison.rules import rule_of


class Outcome(StrEnum):
    """What a value is against its label. `unanswered`: there is no valid answer to hold against it."""

    RIGHT = "right"
    WRONG = "wrong"
    MISSED = "missed"
    INVENTED = "invented"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True)
class FieldOutcome:
    """One value against its label. `field` is the pointer with `*` for a list's items.

    `pointer` is the place in the answer; for a row that the answer lacks it is the list's. `expected` and
    `found` are texts for people, None for null.
    """

    field: str
    pointer: str
    outcome: Outcome
    expected: str | None = None
    found: str | None = None


def compare(
    schema: type[ExtractionSchema], value: Mapping[str, Any] | BaseModel | None, label: Mapping[str, Any]
) -> list[FieldOutcome]:
    """Every labelled field's outcome, in the schema's order. Never raises for what a model wrote.

    `value` is the answer as parsed JSON or as an instance; None, or one that does not fit the schema, leaves
    every labelled field unanswered. `label` is what `LabelReader.read` gives.
    """
    answer = _answer(schema, value)
    if answer is None:
        return [
            FieldOutcome(field, field, Outcome.UNANSWERED) for field in _labelled(Object(schema), label, "")
        ]
    return list(_walk(Object(schema), answer, label, "", ""))


def exactly_right(outcomes: Sequence[FieldOutcome]) -> bool:
    """Whether every labelled field is right. Nothing labelled is nothing right."""
    return bool(outcomes) and all(one.outcome is Outcome.RIGHT for one in outcomes)


def shares(outcomes: Iterable[FieldOutcome]) -> dict[str, dict[Outcome, float]]:
    """For each field the share of its values with each outcome; they add up to 1."""
    counts: dict[str, Counter[Outcome]] = defaultdict(Counter)
    for one in outcomes:
        counts[one.field][one.outcome] += 1
    return {
        field: {outcome: counted[outcome] / counted.total() for outcome in Outcome}
        for field, counted in counts.items()
    }


def findings(outcomes: Iterable[FieldOutcome]) -> list[Finding]:
    """A finding for each value that is wrong, missed or invented."""
    return [_finding(one) for one in outcomes if one.outcome in _MESSAGES]


_MESSAGES = {
    Outcome.WRONG: "the label says {expected}, not {found}",
    Outcome.MISSED: "null, where the label says {expected}",
    Outcome.INVENTED: "{found}, where the label says that there is nothing",
}


def _finding(one: FieldOutcome) -> Finding:
    said = _MESSAGES[one.outcome].format(expected=one.expected, found=one.found)
    return Finding(
        level=Level.CORRECTNESS,
        rule=f"correctness.{one.outcome.value}",
        severity=Severity.ERROR,
        message=f"{one.pointer}: {said}",
        pointer=one.pointer,
        category=Category.INCORRECT,
        expected=one.expected,
        found=one.found,
    )


def _answer(schema: type[ExtractionSchema], value: Mapping[str, Any] | BaseModel | None) -> Any:
    """The answer as nested mappings of typed values; None where it does not fit."""
    if isinstance(value, Mapping):
        value, _ = schema_level.check(dict(value), schema)
    return None if value is None else value.model_dump()


def _labelled(node: Node, label: Any, field: str) -> Iterator[str]:
    """The fields that a label scores, each once; of a list that is empty or null, all of its items'."""
    if isinstance(node, Array):
        items = label or [None]
        yield from dict.fromkeys(name for item in items for name in _labelled(node.item, item, f"{field}/*"))
    elif isinstance(node, Object):
        for name, child in node.members:
            if label is None or name in label:
                yield from _labelled(child, None if label is None else label[name], f"{field}/{name}")
    elif not node.reasoning:
        yield field


def _walk(node: Node, value: Any, label: Any, field: str, pointer: str) -> Iterator[FieldOutcome]:
    if isinstance(node, Array):
        yield from _list(node, value or [], label or [], field, pointer)
    elif isinstance(node, Object):
        for name, child in node.members:
            if label is None or name in label:
                yield from _walk(
                    child,
                    None if value is None else value[name],
                    None if label is None else label[name],
                    f"{field}/{name}",
                    f"{pointer}/{name}",
                )
    elif not node.reasoning:
        yield _leaf(node, value, label, field, pointer)


def _list(
    node: Array, found: list[Any], expected: list[Any], field: str, pointer: str
) -> Iterator[FieldOutcome]:
    if not found and not expected:
        for name in _labelled(node, None, field):
            yield FieldOutcome(name, pointer, Outcome.RIGHT)
    for ours, theirs in align(node, found, expected):
        here = pointer if ours is None else f"{pointer}/{ours}"
        value = None if ours is None else found[ours]
        label = None if theirs is None else expected[theirs]
        outcomes = list(_walk(node.item, value, label, f"{field}/*", here))
        if theirs is None:
            outcomes = _alone(outcomes, Outcome.INVENTED)
        elif ours is None:
            outcomes = [replace(one, pointer=pointer) for one in _alone(outcomes, Outcome.MISSED)]
        yield from outcomes


def _alone(outcomes: list[FieldOutcome], kind: Outcome) -> list[FieldOutcome]:
    """A row that only one of the two has: its nulls are nothing to be right about, unless they are all."""
    found = [one for one in outcomes if one.outcome is not Outcome.RIGHT]
    return found or [replace(one, outcome=kind) for one in outcomes]


def _leaf(node: Scalar, value: Any, label: Any, field: str, pointer: str) -> FieldOutcome:
    return FieldOutcome(field, pointer, _outcome(node, value, label), _text(label), _text(value))


def _outcome(node: Scalar, value: Any, label: Any) -> Outcome:
    if value is None or label is None:
        only = Outcome.MISSED if value is None else Outcome.INVENTED
        return Outcome.RIGHT if value is label else only
    return Outcome.RIGHT if rule_of(node).same(value, label) else Outcome.WRONG


def _text(value: Any) -> str | None:
    if isinstance(value, AnyOf):
        return " or ".join(str(_text(one)) for one in value.values)
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)

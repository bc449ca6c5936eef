"""What an extraction schema is: a Pydantic class whose fields, marks and rules say all that Assay checks.

A schema keeps to these: reasoning first, every answer nullable and without default, no extra keys, every
size bounded. `schemas.lint` checks them. Values are held to their types strictly: "3" is no integer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from decimal import Decimal
from typing import Any, ClassVar, TypeVar, overload

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator

from schemas.marks import Derived, Identifier, Kind, LongText, Money, Quantity, Reasoning, Text, field
from schemas.records import Category, Finding, Level, Severity
from schemas.shape import Array, Node, Object, member
from schemas.values import from_json

__all__ = [
    "Derived", "ExtractionSchema", "Identifier", "Kind", "Leaf", "LongText", "Money", "Quantity", "Reasoning",
    "Row", "Text", "consistency", "field", "inconsistent", "leaves",
]  # fmt: skip

Rule = TypeVar("Rule", bound=Callable[[Any], Iterable[Finding]])


class Row(BaseModel):
    """A nested object, such as one line of an invoice. Its own `@consistency` rules are checked as well."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _from_json(cls, value: Any, info: ValidationInfo) -> Any:
        return from_json(member(cls, str(info.field_name)), value)

    @classmethod
    def consistency_rules(cls) -> list[Callable[[Any], Iterable[Finding]]]:
        """The class's consistency rules, base classes' first, each in declaration order."""
        names = {name: None for base in reversed(cls.__mro__) for name in vars(base)}
        methods = [getattr(cls, name) for name in names if not name.startswith("__")]
        return [method for method in methods if hasattr(method, "consistency_rule")]

    def findings(self) -> list[Finding]:
        """What the consistency rules have to say, rows included. Never raises."""
        found = [finding for rule in self.consistency_rules() for finding in _run(rule, self)]
        for pointer, row in _rows(self):
            found += [replace(finding, pointer=pointer + finding.pointer) for finding in row.findings()]
        return found


class ExtractionSchema(Row):
    """The base of every schema version.

    `instructions` stand at the head of the prompt. `example` is one worked document, made up, and its answer.
    `locale` (such as "de") decides between two readings of a date or number; None leaves them ambiguous.
    """

    instructions: ClassVar[str] = ""
    example: ClassVar[tuple[str, Mapping[str, Any]] | None] = None
    locale: ClassVar[str | None] = None


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value of an answer. `row` points at the object that holds it; `value` is None where it is null."""

    pointer: str
    value: Any
    kind: Kind
    row: str
    derived: bool = False
    evidence: bool = False
    synonyms: Mapping[str, tuple[str, ...]] = dataclass_field(default_factory=dict)
    scale: Decimal | None = None
    compare: str | None = None
    locale: str | None = None
    choices: tuple[str, ...] = ()


@overload
def consistency(rule: Rule, /) -> Rule: ...
@overload
def consistency(rule: str | None = None, /) -> Callable[[Rule], Rule]: ...
def consistency(rule: Any = None, /) -> Any:
    """Mark a method as a rule that yields findings. Its name is the rule's, unless another is given."""

    def mark(method: Any) -> Any:
        method.consistency_rule = rule if isinstance(rule, str) else method.__name__
        return method

    return mark(rule) if callable(rule) else mark


def inconsistent(
    message: str,
    *,
    pointer: str = "",
    expected: object = None,
    found: object = None,
    severity: Severity = Severity.ERROR,
) -> Finding:
    """A finding of a consistency rule; the rule's name is filled in by `findings()`."""
    return Finding(
        level=Level.CONSISTENCY,
        rule="",
        severity=severity,
        message=message,
        pointer=pointer,
        category=Category.INCONSISTENT if severity is Severity.ERROR else None,
        expected=None if expected is None else str(expected),
        found=None if found is None else str(found),
    )


def leaves(instance: Row) -> list[Leaf]:
    """Every value of an answer in order, reasoning left out. A null object or list is one null leaf."""
    return list(_leaves(Object(type(instance)), instance, "", ""))


def _leaves(node: Node, value: Any, pointer: str, row: str) -> Iterator[Leaf]:
    if isinstance(node, (Array, Object)) and value is None:
        yield Leaf(pointer, None, Kind.TEXT, row)
    elif isinstance(node, Object):
        for name, child in node.members:
            yield from _leaves(child, getattr(value, name), f"{pointer}/{name}", pointer)
    elif isinstance(node, Array):
        for index, item in enumerate(value):
            yield from _leaves(node.item, item, f"{pointer}/{index}", row)
    elif not node.reasoning:
        mark = node.mark
        yield Leaf(
            pointer, value, node.kind, row, node.derived, mark.evidence, mark.synonyms, mark.scale,
            mark.compare, mark.locale, tuple(map(str, node.choices)),
        )  # fmt: skip


def _run(rule: Callable[[Any], Iterable[Finding]], instance: Row) -> list[Finding]:
    """A rule's findings. One that fails is itself a finding: nobody may take its silence for assent."""
    name: str = rule.consistency_rule  # type: ignore[attr-defined]
    try:
        found = list(rule(instance) or ())
    except Exception as error:  # noqa: BLE001 - a user's rule may raise anything
        found = [inconsistent(f"The rule {name} could not be computed: {type(error).__name__}: {error}")]
    return [replace(finding, rule=finding.rule or name) for finding in found]


def _rows(instance: Row) -> Iterator[tuple[str, Row]]:
    for name in type(instance).model_fields:
        value = getattr(instance, name)
        if isinstance(value, Row):
            yield f"/{name}", value
        elif isinstance(value, list):
            yield from ((f"/{name}/{i}", item) for i, item in enumerate(value) if isinstance(item, Row))

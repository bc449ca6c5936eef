"""The design rules that can be read off a class. Each takes the class and its entries and yields hits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from pydantic import BaseModel, ValidationError

from schemas.contract import ExtractionSchema
from schemas.errors import SchemaError
from schemas.fingerprint import check_declarations
from schemas.marks import Kind
from schemas.records import Severity
from schemas.shape import Array, Node, Object, Scalar, member

LONGEST_STRING = 2000


class Hit(NamedTuple):
    """Where a rule is broken and how. `severity` overrides the rule's own."""

    pointer: str
    message: str
    severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One field, list item or model of a schema. `node` is None where `problem` says why there is none."""

    pointer: str
    owner: type[BaseModel]
    name: str
    node: Node | None
    problem: str = ""
    item: bool = False

    @property
    def scalar(self) -> Scalar | None:
        """The node where it is a leaf that answers; None for reasoning, lists and objects."""
        return self.node if isinstance(self.node, Scalar) and not self.node.reasoning else None


def entries(cls: type[BaseModel], pointer: str = "", above: tuple[type[BaseModel], ...] = ()) -> list[Entry]:
    """All fields of a class and of the models in it, in order, those with unreadable types among them."""
    found: list[Entry] = []
    for name in cls.model_fields:
        where = f"{pointer}/{name}"
        try:
            node = member(cls, name)
        except SchemaError as error:
            found.append(Entry(where, cls, name, None, str(error)))
        else:
            found += _below(Entry(where, cls, name, node), (*above, cls))
    return found


def _below(entry: Entry, above: tuple[type[BaseModel], ...]) -> list[Entry]:
    node = entry.node
    if isinstance(node, Array):
        item = Entry(f"{entry.pointer}/*", entry.owner, entry.name, node.item, item=True)
        return [entry, *_below(item, above)]
    if isinstance(node, Object):
        if node.cls in above:
            problem = f"{node.cls.__name__} holds itself, so its answers have no bound."
            return [Entry(entry.pointer, entry.owner, entry.name, None, problem)]
        return [entry, *entries(node.cls, entry.pointer, above)]
    return [entry]


def reasoning_first(cls: type[ExtractionSchema], found: list[Entry]) -> Iterator[Hit]:
    """S001."""
    first = next(iter(cls.model_fields), None)
    node = next((entry.node for entry in found if entry.owner is cls and entry.name == first), None)
    if not (isinstance(node, Scalar) and node.reasoning):
        yield Hit("", f"{cls.__name__} begins with {first or 'nothing'}, not with its reasoning.")


def nullable(_: type[ExtractionSchema], found: list[Entry]) -> Iterator[Hit]:
    """S002. Lists may be empty instead, list items need not be there, and enums have a rule of their own."""
    for entry in found:
        node = entry.node
        if entry.item or node is None or node.nullable or isinstance(node, Array):
            continue
        if isinstance(node, Object) or not (node.reasoning or node.kind is Kind.ENUM):
            yield Hit(entry.pointer, "It may not be null.")


def no_defaults(_: type[ExtractionSchema], found: list[Entry]) -> Iterator[Hit]:
    """S003."""
    for entry in found:
        info = entry.owner.model_fields[entry.name]
        if not entry.item and not info.is_required():
            yield Hit(entry.pointer, f"It has the default {info.get_default(call_default_factory=False)!r}.")


def extra_forbidden(cls: type[ExtractionSchema], found: list[Entry]) -> Iterator[Hit]:
    """S004."""
    models = [
        ("", cls),
        *((entry.pointer, entry.node.cls) for entry in found if isinstance(entry.node, Object)),
    ]
    for pointer, model in models:
        extra = model.model_config.get("extra") or "ignore"
        if extra != "forbid":
            yield Hit(pointer, f"{model.__name__} has extra={extra!r}.")


def bounded_strings(_: type[ExtractionSchema], found: list[Entry]) -> Iterator[Hit]:
    """S005. The reasoning is a string as well."""
    for entry in found:
        node = entry.node
        if not isinstance(node, Scalar) or node.type is not str or node.kind is Kind.ENUM:
            continue
        if node.bounds.max_length is None:
            yield Hit(entry.pointer, "The string has no max_length.")
        elif node.bounds.max_length > LONGEST_STRING:
            yield Hit(entry.pointer, f"{node.bounds.max_length} characters are as good as no bound.")


def bounded_lists(_: type[ExtractionSchema], found: list[Entry]) -> Iterator[Hit]:
    """S006."""
    for entry in found:
        if isinstance(entry.node, Array) and entry.node.bounds.max_length is None:
            yield Hit(entry.pointer, "The list has no max_length.")


def bounded_numbers(_: type[ExtractionSchema], found: list[Entry]) -> Iterator[Hit]:
    """S007."""
    for entry in found:
        node = entry.scalar
        if node is None or node.kind is not Kind.NUMBER:
            continue
        bounds = node.bounds
        if node.type is Decimal and None in (bounds.max_digits, bounds.decimal_places):
            yield Hit(entry.pointer, "The decimal lacks max_digits or decimal_places.")
        if node.type is int and (
            (bounds.ge, bounds.gt) == (None, None) or (bounds.le, bounds.lt) == (None, None)
        ):
            yield Hit(entry.pointer, "The integer lacks a least or a greatest value.")


_CODE = re.compile(r"[A-Z0-9]{1,}|[0-9]+")
_CONSTANT = re.compile(r".*(_|[a-z][A-Z]).*")


def natural_enums(_: type[ExtractionSchema], found: list[Entry]) -> Iterator[Hit]:
    """S008. A code is fine where synonyms say how documents write it."""
    for entry in found:
        if entry.scalar is None:
            continue
        for choice in entry.scalar.choices:
            artificial = _CODE.fullmatch(choice) or _CONSTANT.fullmatch(choice) or choice != choice.strip()
            if artificial and not entry.scalar.mark.synonyms.get(choice):
                yield Hit(entry.pointer, f"{choice!r} is not how a document writes it.")


def allowed_types(_: type[ExtractionSchema], found: list[Entry]) -> Iterator[Hit]:
    """S011."""
    yield from (Hit(entry.pointer, entry.problem) for entry in found if entry.node is None)


def open_enums(_: type[ExtractionSchema], found: list[Entry]) -> Iterator[Hit]:
    """S012."""
    for entry in found:
        node = entry.scalar
        if node is not None and node.kind is Kind.ENUM and not node.nullable and not entry.item:
            yield Hit(entry.pointer, f"One of {', '.join(node.choices)} has to be taken.")


def right_example(cls: type[ExtractionSchema], _: list[Entry]) -> Iterator[Hit]:
    """S013."""
    if list(well_declared(cls, [])) or cls.example is None:
        return
    try:
        answer = cls.model_validate(dict(cls.example[1]))
    except ValidationError as error:
        for part in error.errors(include_url=False):
            yield Hit(
                "/" + "/".join(str(step) for step in part["loc"]), f"The example's answer: {part['msg']}."
            )
        return
    for finding in answer.findings():
        yield Hit(finding.pointer, f"The example breaks {finding.rule}: {finding.message}")


def unsaid_limits(_: type[ExtractionSchema], found: list[Entry]) -> Iterator[Hit]:
    """S010. A decimal travels as a string, so its grammar knows its digits and sign but not its limits."""
    for entry in found:
        node = entry.scalar
        if node is None or node.type is not Decimal:
            continue
        for name in ("ge", "gt", "le", "lt"):
            limit = getattr(node.bounds, name)
            if limit is not None and not (name == "ge" and limit == 0):
                yield Hit(entry.pointer, f"The decoder's schema cannot say {name}={limit} of a decimal.")


def known_synonyms(_: type[ExtractionSchema], found: list[Entry]) -> Iterator[Hit]:
    """S014."""
    for entry in found:
        node = entry.scalar
        for value in node.mark.synonyms if node is not None else ():
            if node is not None and value not in node.choices:
                yield Hit(entry.pointer, f"{value!r} has synonyms and is no value of the field.")


def anchored_patterns(_: type[ExtractionSchema], found: list[Entry]) -> Iterator[Hit]:
    """S015."""
    for entry in found:
        pattern = entry.scalar.bounds.pattern if entry.scalar is not None else None
        if pattern and not (pattern.startswith("^") and pattern.endswith("$")):
            yield Hit(entry.pointer, f"The pattern {pattern} is not anchored at both ends.")


def well_declared(cls: type[ExtractionSchema], _: list[Entry]) -> Iterator[Hit]:
    """S016."""
    try:
        check_declarations(cls)
    except SchemaError as error:
        yield Hit("", str(error))

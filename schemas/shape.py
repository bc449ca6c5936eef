"""A schema class as a tree of nodes: the one reading of its annotations that everything else is made from.

Allowed are str, Decimal, int, bool, date, Literal of strings, StrEnum, nested models, lists of any of
these, and None beside each. Anything else (float above all: money must stay exact) is a `SchemaError`.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from schemas import compare
from schemas.errors import SchemaError
from schemas.marks import Derived, IdentifierMark, Kind, Mark, ReasoningMark

LONG_TEXT_OVER = 120
_BOUNDS = ("min_length", "max_length", "pattern", "max_digits", "decimal_places", "ge", "le", "gt", "lt")


@dataclass(frozen=True)
class Bounds:
    """What was declared about a value's size. None where nothing was. Lengths in characters or items."""

    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    max_digits: int | None = None
    decimal_places: int | None = None
    ge: Decimal | None = None
    le: Decimal | None = None
    gt: Decimal | None = None
    lt: Decimal | None = None


@dataclass(frozen=True)
class Scalar:
    """A leaf: one JSON string, integer, boolean or null."""

    kind: Kind
    type: type[Any]
    nullable: bool
    bounds: Bounds
    choices: tuple[str, ...] = ()
    mark: Mark = field(default_factory=Mark)
    derived: bool = False
    reasoning: bool = False


@dataclass(frozen=True)
class Array:
    """A list whose items have one shape. Its mark is also that of its items, where they are values."""

    item: Node
    nullable: bool
    bounds: Bounds
    mark: Mark = field(default_factory=Mark)


@dataclass(frozen=True)
class Object:
    """A nested model."""

    cls: type[BaseModel]
    nullable: bool = False

    @property
    def members(self) -> Iterator[tuple[str, Node]]:
        """Each field's name and node, in declaration order."""
        for name in self.cls.model_fields:
            yield name, member(self.cls, name)


Node: TypeAlias = Scalar | Array | Object


@cache
def member(cls: type[BaseModel], name: str) -> Node:
    """The node of one field. Raises `SchemaError` where its type is not allowed."""
    info: FieldInfo = cls.model_fields[name]
    return _node(info.annotation, tuple(info.metadata), f"{cls.__name__}.{name}")


def _node(annotation: Any, metadata: tuple[Any, ...], where: str, *, listed: bool = False) -> Node:
    annotation, metadata, nullable = _unwrap(annotation, metadata)
    bounds = _bounds(metadata)
    if get_origin(annotation) is list:
        (item,) = get_args(annotation)
        node = _node(item, _for_items(metadata), f"{where}[]", listed=True)
        mark = _mark(metadata)
        if isinstance(node, Object):
            compare.check(mark.compare, "list", where, listed="objects")
        return Array(node, nullable, bounds, mark)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return Object(annotation, nullable)
    node = _scalar(annotation, metadata, nullable, bounds, where)
    compare.check(node.mark.compare, node.kind.value, where, listed="values" if listed else None)
    return node


def _for_items(metadata: tuple[Any, ...]) -> tuple[Any, ...]:
    """What is said of a list and meant of each item: its marks, but not the bounds on its length."""
    return tuple(entry for entry in _flat(metadata) if _has((entry,), Mark) or _has((entry,), Derived))


def _unwrap(annotation: Any, metadata: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...], bool]:
    """Take off Annotated and `| None`, in whatever order they are nested, and gather what they carry."""
    nullable = False
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation, *more = get_args(annotation)
            metadata = (*metadata, *more)
            continue
        if origin in (Union, types.UnionType):
            rest = [part for part in get_args(annotation) if part is not type(None)]
            if len(rest) == 1:
                annotation, nullable = rest[0], True
                continue
        return annotation, metadata, nullable


def _scalar(annotation: Any, metadata: tuple[Any, ...], nullable: bool, bounds: Bounds, where: str) -> Scalar:
    kind, plain, choices = _kind(annotation, metadata, bounds, where)
    return Scalar(
        kind=kind,
        type=plain,
        nullable=nullable,
        bounds=bounds,
        choices=choices,
        mark=_mark(metadata),
        derived=_has(metadata, Derived),
        reasoning=_has(metadata, ReasoningMark),
    )


def _mark(metadata: tuple[Any, ...]) -> Mark:
    """The last mark among the metadata: a field's own stands after its type's."""
    marks = [entry for entry in _flat(metadata) if isinstance(entry, Mark)]
    return marks[-1] if marks else Mark()


def _kind(
    annotation: Any, metadata: tuple[Any, ...], bounds: Bounds, where: str
) -> tuple[Kind, type[Any], tuple[str, ...]]:
    if get_origin(annotation) is Literal and all(isinstance(value, str) for value in get_args(annotation)):
        return Kind.ENUM, str, get_args(annotation)
    if not isinstance(annotation, type) or issubclass(annotation, datetime):
        raise _refused(annotation, where)
    if issubclass(annotation, StrEnum):
        return Kind.ENUM, annotation, tuple(value.value for value in annotation)
    if annotation is str:
        return _text_kind(metadata, bounds), str, ()
    kinds = {bool: Kind.BOOLEAN, int: Kind.NUMBER, Decimal: Kind.NUMBER, date: Kind.DATE}
    if annotation not in kinds:
        raise _refused(annotation, where)
    return kinds[annotation], annotation, ()


def _text_kind(metadata: tuple[Any, ...], bounds: Bounds) -> Kind:
    if _has(metadata, IdentifierMark):
        return Kind.IDENTIFIER
    long = bounds.max_length is not None and bounds.max_length > LONG_TEXT_OVER
    return Kind.LONG_TEXT if long else Kind.TEXT


def _refused(annotation: Any, where: str) -> SchemaError:
    name = getattr(annotation, "__name__", str(annotation))
    if annotation is float:
        return SchemaError(
            f"{where} is a float, which cannot hold money exactly: use Money, Quantity or Decimal."
        )
    return SchemaError(
        f"{where} has the type {name}, which no check can follow: "
        "use str, Decimal, int, bool, date, Literal strings, StrEnum, a model, or a list of these."
    )


def _has(metadata: tuple[Any, ...], mark: type[Any]) -> bool:
    return any(entry is mark or isinstance(entry, mark) for entry in _flat(metadata))


def _flat(metadata: tuple[Any, ...]) -> Iterator[Any]:
    """Metadata with the entries that pydantic nests inside a FieldInfo."""
    for entry in metadata:
        if isinstance(entry, FieldInfo):
            yield from _flat(tuple(entry.metadata))
        else:
            yield entry


def _bounds(metadata: tuple[Any, ...]) -> Bounds:
    found: dict[str, Any] = {}
    for entry in _flat(metadata):
        for name in _BOUNDS:
            value = getattr(entry, name, None)
            if value is not None:
                found[name] = Decimal(value) if name in ("ge", "le", "gt", "lt") else value
    return Bounds(**found)

"""What a schema version is written with: the base class, the field types, their marks, the consistency rules.

A schema version is a Pydantic class. Its reasoning stands first, each answer may be null, no key has a default
(so each one must be in the output), and everything is bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from schemas.records import Category, Finding, Level, Severity


@dataclass(frozen=True, slots=True)
class Derived:
    """Mark in `Annotated`: the value is computed or judged, not printed, so it needs no grounding."""


Reasoning = Annotated[str, Field(max_length=80, description="One short note on where the answers stand.")]
Text = Annotated[str, Field(max_length=120)]
LongText = Annotated[str, Field(max_length=240)]
Identifier = Annotated[str, Field(max_length=40)]
Money = Annotated[Decimal, Field(gt=Decimal(-(10**12)), lt=Decimal(10**12), decimal_places=4)]
Quantity = Annotated[Decimal, Field(gt=Decimal(-(10**9)), lt=Decimal(10**9), decimal_places=4)]

Rule = Callable[[Any], Iterable[Finding]]
R = TypeVar("R", bound=Rule)
_MARKS = "assay"


class Kind(StrEnum):
    """How a leaf is looked up in the source."""

    TEXT = "text"
    LONG_TEXT = "long_text"
    IDENTIFIER = "identifier"
    NUMBER = "number"
    DATE = "date"
    ENUM = "enum"
    BOOLEAN = "boolean"


@dataclass(frozen=True, slots=True)
class Leaf:
    """One answer of an instance. `row` is the pointer of the object that holds it; `value` may be None."""

    pointer: str
    value: Any
    kind: Kind
    row: str
    derived: bool
    evidence: bool
    synonyms: Mapping[str, tuple[str, ...]]
    scale: int


def field(
    description: str = "",
    *,
    synonyms: Mapping[str, Sequence[str]] | None = None,
    scale: int = 1,
    compare: str | None = None,
    locale: str | None = None,
    evidence: bool = False,
    **constraints: Any,
) -> Any:
    """Describe a field. It stays required: null is an answer, a missing key is not.

    `synonyms` maps an enum's value to the spellings that stand for it in documents; `scale` is what a printed
    number is multiplied by (1000 for "in thousands"); `compare` names how labels are compared; `evidence` says
    that the value quotes its source; `constraints` go to `pydantic.Field`.
    """
    marks = {
        "synonyms": {key: list(names) for key, names in (synonyms or {}).items()},
        "scale": scale,
        "compare": compare,
        "locale": locale,
        "evidence": evidence,
    }
    return Field(description=description or None, json_schema_extra={_MARKS: marks}, **constraints)


def marks(info: FieldInfo) -> Mapping[str, Any]:
    """What `field()` noted on a field; empty for one written without it."""
    extra = info.json_schema_extra
    found = extra.get(_MARKS) if isinstance(extra, dict) else None
    return found if isinstance(found, dict) else {}


def consistency(rule: R) -> R:
    """Mark a method that yields a finding for each contradiction among the values of one answer."""
    rule.__dict__["__consistency__"] = True
    return rule


def inconsistent(
    rule: str,
    message: str,
    *,
    pointer: str = "",
    expected: object = None,
    found: object = None,
    severity: Severity = Severity.ERROR,
) -> Finding:
    """A finding of the level `consistency`. Of severity error it decides the outcome."""
    return Finding(
        level=Level.CONSISTENCY,
        rule=rule,
        severity=severity,
        message=message,
        pointer=pointer,
        category=Category.INCONSISTENT if severity is Severity.ERROR else None,
        expected=None if expected is None else str(expected),
        found=None if found is None else str(found),
    )


class ExtractionSchema(BaseModel):
    """Base of every schema version, and of the rows in its lists."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    instructions: ClassVar[str] = ""
    example: ClassVar[tuple[str, Mapping[str, Any]] | None] = None
    locale: ClassVar[str | None] = None

    def findings(self) -> Iterator[Finding]:
        """Every finding of the rules marked `@consistency`, in the order of their definition."""
        for name in _rules(type(self)):
            yield from getattr(self, name)()


def _rules(schema: type[ExtractionSchema]) -> list[str]:
    names: dict[str, None] = {}
    for owner in reversed(schema.__mro__):
        names |= {n: None for n, item in vars(owner).items() if getattr(item, "__consistency__", False)}
    return list(names)


def leaves(instance: ExtractionSchema) -> list[Leaf]:
    """Every answer of an instance with its pointer, in order. The reasoning is not an answer."""
    return list(_object(instance, "", top=True))


def _object(instance: BaseModel, where: str, *, top: bool) -> Iterator[Leaf]:
    for name, info in type(instance).model_fields.items():
        if not (top and name == "reasoning"):
            pointer = f"{where}/{name.replace('~', '~0').replace('/', '~1')}"
            yield from _value(getattr(instance, name), info, plain_type(info.annotation), pointer, where)


def _value(value: Any, info: FieldInfo, annotation: Any, pointer: str, row: str) -> Iterator[Leaf]:
    if isinstance(value, BaseModel):
        yield from _object(value, pointer, top=False)
    elif isinstance(value, list):
        inner = plain_type(next(iter(get_args(annotation)), str))
        for number, item in enumerate(value):
            yield from _value(item, info, inner, f"{pointer}/{number}", row)
    else:
        yield _leaf(value, info, annotation, pointer, row)


def _leaf(value: Any, info: FieldInfo, annotation: Any, pointer: str, row: str) -> Leaf:
    noted = marks(info)
    return Leaf(
        pointer=pointer,
        value=value,
        kind=kind(annotation, info),
        row=row,
        derived=any(mark is Derived or isinstance(mark, Derived) for mark in metadata(info)),
        evidence=bool(noted.get("evidence")),
        synonyms={key: tuple(names) for key, names in noted.get("synonyms", {}).items()},
        scale=int(noted.get("scale", 1)),
    )


def plain_type(annotation: Any) -> Any:
    """An annotation without `None` and without the outer `Annotated`."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return plain_type(get_args(annotation)[0])
    if origin in (Union, UnionType):
        branches = [branch for branch in get_args(annotation) if branch is not NoneType]
        return plain_type(branches[0]) if len(branches) == 1 else annotation
    return annotation


def metadata(info: FieldInfo) -> list[Any]:
    """All marks and bounds of a field, also those inside `X | None`."""
    return [*info.metadata, *_inner_metadata(info.annotation)]


def _inner_metadata(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is Annotated:
        for mark in annotation.__metadata__:
            yield from mark.metadata if isinstance(mark, FieldInfo) else [mark]
    if get_origin(annotation) in (Annotated, Union, UnionType):
        for branch in get_args(annotation):
            yield from _inner_metadata(branch)


def kind(annotation: Any, info: FieldInfo) -> Kind:
    """The kind of a leaf by its type; of a string by its bound, as `Identifier`, `Text` and `LongText` set it."""
    if get_origin(annotation) is Literal:
        return Kind.ENUM
    for base, name in _KINDS:
        if isinstance(annotation, type) and issubclass(annotation, base):
            return name
    bound = next((mark.max_length for mark in metadata(info) if hasattr(mark, "max_length")), 120)
    return Kind.IDENTIFIER if bound <= 40 else Kind.TEXT if bound <= 120 else Kind.LONG_TEXT


_KINDS: tuple[tuple[type, Kind], ...] = (
    (bool, Kind.BOOLEAN), (int, Kind.NUMBER), (Decimal, Kind.NUMBER), (date, Kind.DATE),
)  # fmt: skip

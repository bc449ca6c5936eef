"""Level `schema`: does the parsed JSON fit the schema version, key by key and type by type?

Each of pydantic's errors becomes one finding with a JSON pointer and a category. Afterwards nothing may have
been coerced: "yes" is not true and 20240309 is not a date, although pydantic would take them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from schemas.records import Category, Finding, Level, Severity

M = TypeVar("M", bound=BaseModel)

_CATEGORIES = {
    "missing": Category.MISSING_FIELD,
    "extra_forbidden": Category.UNEXPECTED_FIELD,
    "literal_error": Category.NOT_IN_ENUM,
    "enum": Category.NOT_IN_ENUM,
}
_RAW_TYPES: tuple[tuple[type, tuple[type, ...]], ...] = (
    (Enum, (str, int)),
    (bool, (bool,)),
    (int, (int,)),
    (Decimal, (int, Decimal, str)),
    (date, (str,)),
    (str, (str,)),
)
"""Python type of a field's value -> the types that its JSON may have had."""


def check(value: Any, schema: type[M]) -> tuple[M | None, list[Finding]]:
    """Validate parsed JSON. Returns (instance, []), or (None, findings), at least one."""
    if not isinstance(value, dict):
        return None, [
            _finding(Category.WRONG_TYPE, "type", "", "the answer is not an object", "object", value)
        ]
    try:
        instance = schema.model_validate(value)
    except ValidationError as error:
        return None, [_translate(detail, value) for detail in error.errors(include_url=False)]
    except RecursionError:
        return None, [_finding(Category.CONSTRAINT, "depth", "", "nested too deeply", None, None)]
    coerced = list(_coerced(value, instance, ""))
    return (None, coerced) if coerced else (instance, [])


def pointer(path: Sequence[str | int]) -> str:
    """An RFC 6901 JSON Pointer: `~` and `/` in keys are escaped."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def _translate(detail: ErrorDetails, value: Any) -> Finding:
    kind = detail["type"]
    where = _real_path(detail["loc"], value, missing=kind == "missing")
    context = {key: item for key, item in detail.get("ctx", {}).items() if key != "error"}
    expected = ", ".join(f"{key} {item}" for key, item in context.items()) or detail["msg"]
    found = None if kind == "missing" else detail["input"]
    return _finding(_category(kind), kind, pointer(where), detail["msg"], expected, found)


def _category(kind: str) -> Category:
    if kind in _CATEGORIES:
        return _CATEGORIES[kind]
    if kind.endswith(("_type", "_parsing", "_from_float")) or kind == "date_from_datetime_inexact":
        return Category.WRONG_TYPE
    return Category.CONSTRAINT


def _real_path(loc: tuple[str | int, ...], value: Any, *, missing: bool) -> list[str | int]:
    """Leave out of pydantic's location the steps that name a union's branch and stand in no JSON."""
    path: list[str | int] = []
    for number, step in enumerate(loc):
        last = number == len(loc) - 1
        if isinstance(value, Mapping) and (step in value or (missing and last)):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            continue
        path.append(step)
    return path


def _coerced(raw: Any, value: Any, where: str) -> Iterator[Finding]:
    """Findings for values that pydantic took only by converting them."""
    if isinstance(value, BaseModel) and isinstance(raw, Mapping):
        for name, field in type(value).model_fields.items():
            key = name if name in raw else field.alias or name
            if key in raw:
                yield from _coerced(raw[key], getattr(value, name), where + pointer([key]))
    elif isinstance(value, list | tuple) and isinstance(raw, list):
        for number, (item, taken) in enumerate(zip(raw, value, strict=False)):
            yield from _coerced(item, taken, f"{where}/{number}")
    elif value is not None and not _same_type(raw, value):
        message = f"a JSON {type(raw).__name__} where the field holds {type(value).__name__}"
        yield _finding(Category.WRONG_TYPE, "type", where, message, type(value).__name__, raw)


def _same_type(raw: Any, value: Any) -> bool:
    for kind, allowed in _RAW_TYPES:
        if isinstance(value, kind):
            return isinstance(raw, allowed) and (isinstance(raw, bool) <= (bool in allowed))
    return True


def _finding(
    category: Category, rule: str, where: str, message: str, expected: str | None, found: Any
) -> Finding:
    return Finding(
        level=Level.SCHEMA,
        rule=f"schema.{rule}",
        severity=Severity.ERROR,
        message=f"{where or '/'}: {message}",
        pointer=where,
        category=category,
        expected=expected,
        found=None if found is None else str(found)[:200],
    )

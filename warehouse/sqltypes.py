"""The exact DuckDB type of each field of a schema class: money stays decimal, dates dates, rows structs.

A type is kept as DuckDB's `json_transform` takes it: a name, a dict for a struct, a list of one for a list.
Source: https://duckdb.org/docs/stable/data/json/json_functions#transforming-json-to-nested-types
"""

from __future__ import annotations

import types
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel

from schemas.errors import SchemaError

SqlType: TypeAlias = "str | dict[str, SqlType] | list[SqlType]"

_WIDEST = 38  # digits of DuckDB's widest DECIMAL
_SCALE = 10  # decimal places where the schema sets no bound
_MONEY = (18, 4)
_PLAIN: dict[type, str] = {
    bool: "BOOLEAN",
    int: "BIGINT",
    float: "DOUBLE",
    str: "VARCHAR",
    datetime: "TIMESTAMP",
    date: "DATE",
}


def columns(cls: type[BaseModel]) -> dict[str, SqlType]:
    """The fields of a schema class, in order, each with its type.

    Raises SchemaError where two names differ in case only: SQL cannot tell them apart.
    """
    names = [info.serialization_alias or info.alias or name for name, info in cls.model_fields.items()]
    _refuse_twins(cls, names)
    infos = cls.model_fields.values()
    return {name: sql_type(info.annotation, info.metadata) for name, info in zip(names, infos, strict=True)}


def sql_type(annotation: Any, metadata: Iterable[Any] = ()) -> SqlType:
    """The type of one annotation. What has no one type (a union of several, a free object) stays JSON."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return sql_type(arguments[0], [*metadata, *arguments[1:]])
    if origin in (Union, types.UnionType):
        return _one_of([part for part in arguments if part is not type(None)], metadata)
    if origin is Literal:
        return _one_of([type(value) for value in arguments if value is not None], ())
    if origin in (list, tuple, set, frozenset) and arguments:
        return [sql_type(arguments[0])]
    return _class_type(annotation, metadata) if isinstance(annotation, type) else "JSON"


def _one_of(parts: list[Any], metadata: Iterable[Any]) -> SqlType:
    found: list[SqlType] = []
    for part in parts:
        kind = sql_type(part, metadata)
        if kind not in found:
            found.append(kind)
    return found[0] if len(found) == 1 else "JSON"


def _class_type(cls: type, metadata: Iterable[Any]) -> SqlType:
    if issubclass(cls, BaseModel):
        return columns(cls) or "JSON"
    if issubclass(cls, Decimal):
        return decimal_type(metadata)
    if issubclass(cls, Enum):
        return _one_of([type(member.value) for member in cls], ())
    return next((name for kind, name in _PLAIN.items() if issubclass(cls, kind)), "JSON")


def decimal_type(metadata: Iterable[Any]) -> str:
    """A DECIMAL that holds every value within the bounds: DECIMAL(18,4) where that does, wider where not."""
    digits, places, largest = _bounds(metadata)
    scale = places if places is not None else _SCALE
    whole = _WIDEST - scale
    if digits is not None:
        # Pydantic holds the digits before the point to what the decimal places leave, where both are bounded.
        whole = min(whole, digits - (places or 0))
    if largest is not None:
        whole = min(whole, len(str(int(largest))))
    scale = max(scale, _MONEY[1])
    return f"DECIMAL({min(max(whole + scale, _MONEY[0]), _WIDEST)},{scale})"


def _bounds(metadata: Iterable[Any]) -> tuple[int | None, int | None, Decimal | None]:
    """The most digits, the most decimal places and the largest magnitude that the constraints allow."""
    found: dict[str, Any] = {}
    for constraint in _flat(metadata):
        for name in ("max_digits", "decimal_places", "le", "lt", "ge", "gt"):
            value = getattr(constraint, name, None)
            if value is not None:
                found[name] = value
    upper, lower = found.get("le", found.get("lt")), found.get("ge", found.get("gt"))
    bounded = [abs(Decimal(end)) for end in (upper, lower) if end is not None]
    largest = max(bounded) if len(bounded) == 2 else None
    return found.get("max_digits"), found.get("decimal_places"), largest


def _flat(metadata: Iterable[Any]) -> Iterable[Any]:
    """The constraints, also those that stand inside a FieldInfo."""
    for item in metadata:
        yield item
        yield from getattr(item, "metadata", ())


def _refuse_twins(cls: type[BaseModel], names: list[str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        twin = seen.setdefault(name.casefold(), name)
        if twin != name:
            raise SchemaError(
                f"{cls.__name__} has fields {twin!r} and {name!r}, which SQL cannot tell apart. Rename one."
            )

"""The JSON Schema that the prompt shows, the decoder enforces and the validator's class stands for.

References are inlined, the order of declaration is kept, every key is required, none is added, every size is
bounded. Decimals travel as JSON strings under a pattern: see docs/decisions/0001-decimals-in-the-decoder.md.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from schemas.marks import Kind
from schemas.shape import Array, Bounds, Node, Object, Scalar

# What the decoder holds to where a class declares no bound. Lint asks for a declared one.
DEFAULT_CHARACTERS = 240
DEFAULT_ITEMS = 64
DEFAULT_DIGITS = 18
DEFAULT_PLACES = 6
DEFAULT_INTEGER = 10**15
# A character of a string takes up to 6 as JSON (a control character's \u001f), but in documents hardly ever
# more than one: a quote or backslash is counted by this share on top.
ESCAPE_SHARE = 0.05


def decoder_schema(cls: type[BaseModel]) -> dict[str, Any]:
    """The schema of a class, JSON-serialisable. Raises `SchemaError` where a field's type is not allowed."""
    return {"title": cls.__name__, **node_schema(Object(cls))}


def longest_output(cls: type[BaseModel]) -> int:
    """Characters of the longest compact JSON that the bounds allow, a twentieth of each string escaped."""
    return _longest(Object(cls))


def longest_list(schema: object) -> int:
    """The largest `maxItems` anywhere in a schema, 0 where it has no list."""
    if isinstance(schema, list):
        return max(map(longest_list, schema), default=0)
    if not isinstance(schema, dict):
        return 0
    own = schema.get("maxItems", 0)
    inner = max(map(longest_list, schema.values()), default=0)
    return max(own, inner) if isinstance(own, int) else inner


def node_schema(node: Node) -> dict[str, Any]:
    """The part of the decoder's schema that stands for one node."""
    if isinstance(node, Object):
        schema = _object(node)
    elif isinstance(node, Array):
        schema = _array(node)
    else:
        return _scalar(node)
    return {"anyOf": [schema, {"type": "null"}]} if node.nullable else schema


def _object(node: Object) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for name, child in node.members:
        description = node.cls.model_fields[name].description
        properties[name] = {**({"description": description} if description else {}), **node_schema(child)}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _array(node: Array) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "array", "items": node_schema(node.item)}
    if node.bounds.min_length:
        schema["minItems"] = node.bounds.min_length
    return {**schema, "maxItems": _items(node)}


def _scalar(node: Scalar) -> dict[str, Any]:
    """Null as a second type rather than `anyOf`: shorter to show, and every backend enforces it."""
    if node.kind is Kind.ENUM:
        return {"enum": [*node.choices, *([None] if node.nullable else [])]}
    schema = _plain(node)
    return {**schema, "type": [schema["type"], "null"]} if node.nullable else schema


def _plain(node: Scalar) -> dict[str, Any]:
    if node.kind is Kind.BOOLEAN:
        return {"type": "boolean"}
    if node.kind is Kind.DATE:
        return {"type": "string", "format": "date"}
    if node.type is Decimal:
        return {"type": "string", "pattern": numeral_pattern(node.bounds)}
    if node.kind is Kind.NUMBER:
        low, high = _integers(node.bounds)
        return {"type": "integer", "minimum": low, "maximum": high}
    return _string(node.bounds)


def _string(bounds: Bounds) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    if bounds.min_length:
        schema["minLength"] = bounds.min_length
    if bounds.pattern:
        schema["pattern"] = bounds.pattern
    return {**schema, "maxLength": bounds.max_length or DEFAULT_CHARACTERS}


def numeral_pattern(bounds: Bounds) -> str:
    """A full, anchored pattern for a plain decimal numeral within the declared digits."""
    whole, places = _digits(bounds)
    sign = "" if _not_negative(bounds) else "-?"
    lead = rf"(0|[1-9][0-9]{{0,{whole - 1}}})" if whole > 1 else "[0-9]"
    return rf"^{sign}{lead}(\.[0-9]{{1,{places}}})?$" if places else rf"^{sign}{lead}$"


def _digits(bounds: Bounds) -> tuple[int, int]:
    """Digits before and after the point."""
    places = DEFAULT_PLACES if bounds.decimal_places is None else bounds.decimal_places
    return max(1, (bounds.max_digits or DEFAULT_DIGITS) - places), places


def _not_negative(bounds: Bounds) -> bool:
    return any(low is not None and low >= 0 for low in (bounds.ge, bounds.gt))


def _integers(bounds: Bounds) -> tuple[int, int]:
    """The least and the greatest integer that the bounds let through."""
    low, high = -DEFAULT_INTEGER, DEFAULT_INTEGER
    if bounds.ge is not None:
        low = math.ceil(bounds.ge)
    if bounds.gt is not None:
        low = max(low, math.floor(bounds.gt) + 1)
    if bounds.le is not None:
        high = math.floor(bounds.le)
    if bounds.lt is not None:
        high = min(high, math.ceil(bounds.lt) - 1)
    return low, high


def _items(node: Array) -> int:
    return node.bounds.max_length or DEFAULT_ITEMS


def _longest(node: Node) -> int:
    if isinstance(node, Object):
        members = [len(json.dumps(name)) + 1 + _longest(child) for name, child in node.members]
        length = 2 + sum(members) + max(0, len(members) - 1)
    elif isinstance(node, Array):
        length = 2 + _items(node) * (_longest(node.item) + 1) - 1
    else:
        length = _longest_scalar(node)
    return max(length, 4) if node.nullable else length


def _longest_scalar(node: Scalar) -> int:
    if node.kind is Kind.ENUM:
        return max(len(json.dumps(choice, ensure_ascii=False)) for choice in node.choices)
    if node.kind is Kind.BOOLEAN:
        return len("false")
    if node.kind is Kind.DATE:
        return len('"2024-12-31"')
    if node.type is Decimal:
        whole, places = _digits(node.bounds)
        return len('"-"') + whole + (1 + places if places else 0) - _not_negative(node.bounds)
    if node.kind is Kind.NUMBER:
        return max(len(str(bound)) for bound in _integers(node.bounds))
    characters = node.bounds.max_length or DEFAULT_CHARACTERS
    return 2 + math.ceil(characters * (1 + ESCAPE_SHARE))

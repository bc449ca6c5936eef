"""Right values for a part of a JSON Schema, from the cheapest to those at its edges."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeAlias

from extractors.backends.strings import matching
from schemas.errors import SchemaError

Schema: TypeAlias = dict[str, Any]

# What documents hold, and what JSON has to escape: each must be sayable where a string may be anything.
_TEXTS = ("", "a", "Tax 7 %", "é€ß", "中文", "😀", 'say "no"', "C:\\x", "two\nlines", "\t", "a/b", "\x01")
FORMATS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "date": (
        ("2024-01-31", "2024-02-29", "1999-12-31"),
        ("2024-02-30", "2024-13-01", "2024-1-1", "03/04/2024", "2023-02-29"),
    ),
    "time": (("12:30:00Z",), ("25:00:00Z", "12:61:00Z", "noon")),
    "date-time": (("2024-01-31T12:30:00Z",), ("2024-01-31", "2024-13-01T12:30:00Z", "2024-01-31T25:00:00Z")),
    "email": (("a@example.org",), ("a", "a@", "@example.org")),
    "uuid": (("123e4567-e89b-12d3-a456-426614174000",), ("123e4567", "123e4567-e89b-12d3-a456-42661417400g")),
    "ipv4": (("192.0.2.1",), ("192.0.2", "192.0.2.256")),
    "uri": (("https://example.org/a",), ("example", "://a")),
}


EVERY_TYPE: tuple[Any, ...] = (None, True, 7, 1.5, "x", [], {})


def broken(schema: Schema, value: Any) -> frozenset[str]:
    """The keywords of the schema, and of its parts, that a value breaks, as `jsonschema` judges it."""
    return frozenset(str(error.validator) for error in _judge(json.dumps(schema)).iter_errors(value))


@lru_cache(maxsize=256)
def _judge(schema: str) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(schema), format_checker=Draft202012Validator.FORMAT_CHECKER)


def sample(schema: Schema) -> Any:
    """A right value. Raises SchemaError where none is found: nothing can then be tried."""
    for value in _proposed(schema):
        if not broken(schema, value):
            return value
    raise SchemaError(f"no value was found that fits {json.dumps(schema)[:120]}")


def right(schema: Schema) -> list[Any]:
    """Right values, each once, the cheapest first."""
    seen: dict[str, Any] = {}
    for value in _proposed(schema):
        if not broken(schema, value):
            seen.setdefault(json.dumps(value), value)
    return list(seen.values())


def _proposed(schema: Schema) -> Iterator[Any]:
    """Values that are likely to be right."""
    if "const" in schema:
        yield schema["const"]
    yield from schema.get("enum", ())
    for branch in [*schema.get("anyOf", ()), *schema.get("oneOf", ())]:
        yield from _proposed(branch)
    for kind in _types(schema):
        yield from _RIGHT[kind](schema)
    if "type" not in schema:
        yield from EVERY_TYPE


def _types(schema: Schema) -> list[str]:
    named = schema.get("type", [])
    return [named] if isinstance(named, str) else list(named)


def _objects(schema: Schema) -> Iterator[Any]:
    whole = {name: sample(child) for name, child in schema.get("properties", {}).items()}
    yield whole
    yield {name: whole[name] for name in schema.get("required", ()) if name in whole}


def _arrays(schema: Schema) -> Iterator[Any]:
    choices = right(schema.get("items", {})) or [None]
    least, most = schema.get("minItems", 0), schema.get("maxItems", 3)
    for length in dict.fromkeys((least, least + 1, most)):
        yield [choices[0]] * length
        if schema.get("uniqueItems"):
            yield choices[:length]


def _strings(schema: Schema) -> Iterator[Any]:
    least, most = schema.get("minLength", 0), schema.get("maxLength", 40)
    yield from FORMATS.get(schema.get("format", ""), ((), ()))[0]
    if "pattern" in schema:
        yield from matching(schema["pattern"], most)
    yield from ("x" * least, *(text.ljust(least, "x") for text in _TEXTS))
    yield from ("x" * most, "ü" * most)


def _numbers(schema: Schema) -> Iterator[Any]:
    step = schema.get("multipleOf", 1)
    yield from (value for value in (0, step, -step, 7 * step))
    for low in (schema.get("minimum"), schema.get("exclusiveMinimum")):
        if low is not None:
            yield from (low, low + step, low + 0.5)
    for high in (schema.get("maximum"), schema.get("exclusiveMaximum")):
        if high is not None:
            yield from (high, high - step, high - 0.5)


_RIGHT: dict[str, Callable[[Schema], Iterator[Any]]] = {
    "null": lambda _: iter((None,)),
    "boolean": lambda _: iter((True, False)),
    "integer": lambda schema: (int(value) for value in _numbers(schema) if value == int(value)),
    "number": _numbers,
    "string": _strings,
    "array": _arrays,
    "object": _objects,
}

"""Values that may break one keyword of a JSON Schema; what they do break, `jsonschema` decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from extractors.backends.strings import matching, near
from extractors.backends.values import EVERY_TYPE, FORMATS, Schema, right


def breaking(schema: Schema, keyword: str, sample: Any) -> Iterator[Any]:
    """Values that may break this keyword. `sample` is a right value."""
    if keyword in _BREAKING:
        yield from _BREAKING[keyword](schema, sample)
    yield from EVERY_TYPE


def _other_choices(schema: Schema, _: Any) -> Iterator[Any]:
    for choice in [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else [])]:
        if isinstance(choice, str):
            yield from near(choice)
        elif isinstance(choice, int):
            yield from (choice + 1, choice * 10 + 1)


def _other_texts(_: Schema, sample: Any) -> Iterator[Any]:
    if isinstance(sample, str):
        yield from near(sample)


def _long_texts(schema: Schema, sample: Any) -> Iterator[Any]:
    most = schema["maxLength"]
    if "pattern" in schema:
        yield from matching(schema["pattern"], most + 1)
    if isinstance(sample, str):
        yield sample + "x" * (most + 1 - len(sample))
    yield from ("1" * (most + 1), "ü" * (most + 1))


def _short_texts(schema: Schema, sample: Any) -> Iterator[Any]:
    if "pattern" in schema:
        yield from matching(schema["pattern"], 0)
    if isinstance(sample, str):
        yield from (sample[: schema["minLength"] - 1], sample[:1], "")


def _wrong_formats(schema: Schema, sample: Any) -> Iterator[Any]:
    yield from FORMATS.get(schema["format"], ((), ()))[1]
    yield from _other_texts(schema, sample)


def _beyond(keyword: str, sign: int) -> Callable[[Schema, Any], Iterator[Any]]:
    def values(schema: Schema, _: Any) -> Iterator[Any]:
        limit = schema[keyword]
        yield from (limit, limit + sign, limit + sign * 0.5, limit + sign * 10, limit + sign * 10**6, -limit)

    return values


def _many_items(schema: Schema, _: Any) -> Iterator[Any]:
    choices = right(schema.get("items", {})) or [None]
    length = schema["maxItems"] + 1
    yield [choices[0]] * length


def _few_items(schema: Schema, sample: Any) -> Iterator[Any]:
    if isinstance(sample, list):
        yield from (sample[: schema["minItems"] - 1], [])


def _twice(schema: Schema, _: Any) -> Iterator[Any]:
    for item in right(schema.get("items", {}))[:3]:
        yield [item] * max(2, schema.get("minItems", 0))


def _without(_: Schema, sample: Any) -> Iterator[Any]:
    if isinstance(sample, dict):
        for gone in sample:
            yield {name: value for name, value in sample.items() if name != gone}


def _with_more(_: Schema, sample: Any) -> Iterator[Any]:
    if isinstance(sample, dict):
        yield from ({**sample, "surplus": 1}, {"surplus": 1, **sample}, {**sample, "surplus": "x"})


def _off_step(schema: Schema, _: Any) -> Iterator[Any]:
    step = schema["multipleOf"]
    yield from (step + 1, step * 1.5, step / 2, step * 3 + 1, step + 0.001)


_BREAKING: dict[str, Callable[[Schema, Any], Iterator[Any]]] = {
    "enum": _other_choices,
    "const": _other_choices,
    "pattern": _other_texts,
    "format": _wrong_formats,
    "minLength": _short_texts,
    "maxLength": _long_texts,
    "minimum": _beyond("minimum", -1),
    "exclusiveMinimum": _beyond("exclusiveMinimum", -1),
    "maximum": _beyond("maximum", 1),
    "exclusiveMaximum": _beyond("exclusiveMaximum", 1),
    "multipleOf": _off_step,
    "minItems": _few_items,
    "maxItems": _many_items,
    "uniqueItems": _twice,
    "required": _without,
    "additionalProperties": _with_more,
}

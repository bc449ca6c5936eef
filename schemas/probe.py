"""What the decoding backend really enforces, found by trying it: no table of keywords goes out of date.

Each field's part of the decoder's schema is compiled by llguidance as vLLM's `guidance` backend compiles it,
and then offered values that break one keyword at a time. A value that the grammar lets through is a hit.
Without llguidance (an installation without an engine) nothing is probed.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from schemas.fingerprint import walk
from schemas.json_schema import decoder_schema, node_schema
from schemas.records import Severity
from schemas.shape import Array, Object, Scalar

BACKEND = "guidance"
# No regular grammar of a sane size knows leap years; the validator does.
LEAP_DAY = "2023-02-29"
_STRINGS = ("", "a", "Aa", "0", "-1", "x y", "!?", "2024-01-01", "ü", "a" * 64)


def available() -> bool:
    """Whether llguidance is installed here."""
    return importlib.util.find_spec("llguidance") is not None


class Grammar:
    """A JSON Schema compiled with compact whitespace, over bytes. `error` is empty where it compiled."""

    def __init__(self, schema: dict[str, Any]) -> None:
        import llguidance

        self._tokenizer = llguidance.LLTokenizer("byte")
        grammar = llguidance.LLMatcher.grammar_from_json_schema(
            json.dumps(schema), overrides={"whitespace_flexible": False}
        )
        self._matcher = llguidance.LLMatcher(self._tokenizer, grammar)
        self.error: str = self._matcher.get_error() if self._matcher.is_error() else ""

    def accepts(self, text: str) -> bool:
        """Whether `text` is a whole answer under the grammar."""
        tokens = self._tokenizer.tokenize_bytes(text.encode())
        matched = self._matcher.try_consume_tokens(tokens) == len(tokens)
        whole = matched and bool(self._matcher.is_accepting())
        self._matcher.reset()
        return whole


def probe(cls: type[BaseModel]) -> Iterator[tuple[str, str, Severity]]:
    """Pointer, message and severity of each keyword that the backend refuses or does not hold to.

    A schema that does not compile is an error, for no document could be decoded. A keyword that is let
    through is a warning, for the validator checks it again.
    """
    if not available():
        return
    refused = False
    for pointer, node in walk(Object(cls)):
        if isinstance(node, Object):
            continue
        problems = list(_array(node) if isinstance(node, Array) else _scalar(node))
        refused = refused or any(severity is Severity.ERROR for _, severity in problems)
        yield from ((pointer, message, severity) for message, severity in problems)
    error = "" if refused else Grammar(decoder_schema(cls)).error
    if error:
        yield "", f"The {BACKEND} backend refuses the schema: {_first_line(error)}", Severity.ERROR


def _scalar(node: Scalar) -> Iterator[tuple[str, Severity]]:
    schema = node_schema(node)
    grammar = Grammar(schema)
    if grammar.error:
        yield f"The {BACKEND} backend refuses it: {_first_line(grammar.error)}", Severity.ERROR
        return
    for keyword, value in _breaking(schema):
        if grammar.accepts(json.dumps(value, ensure_ascii=False)):
            severity = Severity.INFO if value == LEAP_DAY else Severity.WARNING
            yield (
                f"The {BACKEND} backend does not enforce {keyword}: {str(value)[:40]} gets through.",
                severity,
            )
            return
    yield from _beyond_schema(node)


def _beyond_schema(node: Scalar) -> Iterator[tuple[str, Severity]]:
    """A decimal travels as a string, so its grammar knows its digits and sign but not its limits."""
    if node.type is not Decimal:
        return
    limits = {name: getattr(node.bounds, name) for name in ("ge", "gt", "le", "lt")}
    for name, limit in limits.items():
        if limit is not None and not (name == "ge" and limit == 0):
            yield f"The decoder's schema cannot say {name}={limit} of a decimal.", Severity.WARNING


def _array(node: Array) -> Iterator[tuple[str, Severity]]:
    """The list's own bounds, with items that are cheap to write."""
    schema = {**node_schema(node), "items": {"type": "null"}} if not node.nullable else _inner(node)
    grammar = Grammar(schema)
    if grammar.error:
        yield f"The {BACKEND} backend refuses it: {_first_line(grammar.error)}", Severity.ERROR
        return
    for keyword, length in (
        ("maxItems", schema["maxItems"] + 1),
        ("minItems", schema.get("minItems", 0) - 1),
    ):
        if length >= 0 and grammar.accepts(json.dumps([None] * length, separators=(",", ":"))):
            message = f"The {BACKEND} backend does not enforce {keyword}: {length} items get through."
            yield message, Severity.WARNING


def _inner(node: Array) -> dict[str, Any]:
    schema: dict[str, Any] = node_schema(node)["anyOf"][0]
    return {**schema, "items": {"type": "null"}}


def _breaking(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Values that break exactly the keyword named with them."""
    if "enum" in schema:
        yield from (("enum", f"{value}~") for value in schema["enum"] if value is not None)
    if "minimum" in schema:
        yield "minimum", schema["minimum"] - 1
        yield "maximum", schema["maximum"] + 1
    if schema.get("format") == "date":
        yield from (
            ("format", value) for value in ("2024-02-30", "2024-13-01", "2024-1-1", "03/04/2024", LEAP_DAY)
        )
    if "maxLength" in schema and "pattern" not in schema:
        yield "maxLength", "x" * (schema["maxLength"] + 1)
    if schema.get("minLength") and "pattern" not in schema:
        yield "minLength", "x" * (schema["minLength"] - 1)
    if "pattern" in schema:
        yield from _against_pattern(schema)


def _against_pattern(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    pattern = re.compile(schema["pattern"])
    too_long = schema.get("maxLength", 10**6) + 1
    for value in (*_STRINGS, "9" * 40, "1." + "0" * 40, "a" * min(too_long, 5000), "1" * min(too_long, 5000)):
        if not pattern.search(value):
            yield "pattern", value
        elif len(value) > schema.get("maxLength", len(value)):
            yield "maxLength beside pattern", value
        elif len(value) < schema.get("minLength", 0):
            yield "minLength beside pattern", value


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if "parse error" not in text else " ".join(text.split())[:200]

"""Which keyword a refusal names, and which backend would take it: by rules of one line, and for real."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import pytest

from extractors.engines.refusal import blamed, refusal, refused
from schemas.decoding import Backend

TEXT = {"type": "string", "pattern": "^a", "maxLength": 4}


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def rejects(*names: str) -> Any:
    """A backend that refuses a node which has all of these keywords at once."""

    def holds(node: Any) -> bool:
        inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        return not (isinstance(node, dict) and all(name in node for name in names)) and all(map(holds, inner))

    def taken(one: Mapping[str, Any]) -> bool:
        return holds(one)

    return taken


def test_the_keyword_and_its_place_are_named() -> None:
    found = blamed(schema(a={"type": "string"}, b={"not": {"type": "string"}}), rejects("not"))
    assert found == "`not` at /properties/b"


def test_of_two_that_clash_one_is_named() -> None:
    assert blamed(schema(code=TEXT), rejects("pattern", "maxLength")) == "`pattern` at /properties/code"


def test_inside_lists_and_alternatives() -> None:
    nested = schema(rows={"type": "array", "items": {"anyOf": [{"type": "null"}, {"uniqueItems": True}]}})
    assert blamed(nested, rejects("uniqueItems")) == "`uniqueItems` at /properties/rows/items/anyOf/1"


def test_a_keyword_that_stands_in_many_places_is_named_alone() -> None:
    assert blamed(schema(a=TEXT, b=TEXT), rejects("pattern")) == "`pattern`"


def test_a_field_of_a_keywords_name_is_no_keyword() -> None:
    tricky = schema(pattern={"type": "string", "format": "odd"})
    assert blamed(tricky, rejects("format")) == "`format` at /properties/pattern"


def test_nothing_is_blamed_where_no_single_keyword_is_the_cause() -> None:
    assert blamed(schema(a={"type": "string"}), lambda one: False) is None


CODE = {"type": "string", "pattern": "^[A-Z]+$", "maxLength": 4}
TWICE = {"type": "array", "items": {"type": "integer"}, "maxItems": 3, "uniqueItems": True}
REFUSED: list[tuple[Backend, dict[str, Any], str, str]] = [
    ("xgrammar", CODE, "`pattern` at /properties/a", ": guidance would take it"),
    ("guidance", TWICE, "`uniqueItems` at /properties/a", "outlines would take it and not hold to it"),
    (
        "outlines",
        {"not": {"type": "string"}},
        "`not` at /properties/a",
        "xgrammar would take it and not hold to it",
    ),
]


@pytest.mark.skipif(find_spec("vllm") is None, reason="vllm is not installed")
@pytest.mark.parametrize(("backend", "part", "keyword", "advice"), REFUSED, ids=lambda one: str(one)[:20])
def test_each_backend_names_the_keyword_and_who_would_take_it(
    backend: Backend, part: dict[str, Any], keyword: str, advice: str
) -> None:
    asked = json.dumps(schema(a=part) | {"additionalProperties": False})
    reason = refusal(asked, backend)
    assert reason
    told = str(refused(asked, backend, reason))
    assert f"{backend} cannot enforce the keyword {keyword}" in told
    assert advice in told

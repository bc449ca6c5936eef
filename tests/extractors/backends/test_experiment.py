"""The experiments find what a backend does otherwise than the schema says, and nothing else."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from extractors.backends.base import Grammar, SchemaTooLarge
from extractors.backends.compiling import Compiler, compiler
from extractors.backends.experiment import Bench, Kind, Outcome, experiment
from extractors.backends.trials import ORDER, spots
from extractors.backends.vocabulary import Vocabulary
from schemas.decoding import Backend
from schemas.errors import EngineUnavailable

BYTES = Vocabulary.of_bytes()
ROW = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}
PARTS: dict[str, dict[str, Any]] = {
    "word": {"type": "string", "pattern": "^[a-z]{2,5}$"},
    "code": {"type": "string", "pattern": "^[A-Z]+$", "maxLength": 4},
    "long": {"type": "string", "minLength": 3},
    "least": {"type": "integer", "minimum": 3},
    "most": {"type": "integer", "maximum": 9},
    "more": {"type": "number", "exclusiveMinimum": 0},
    "less": {"type": "number", "exclusiveMaximum": 1},
    "step": {"type": "integer", "multipleOf": 5, "minimum": 0},
    "some": {"type": "array", "items": {"type": "integer"}, "minItems": 2},
    "few": {"type": "array", "items": {"type": "integer"}, "maxItems": 3},
    "kind": {"enum": ["open", "closed", None]},
    "same": {"const": "eur"},
    "maybe": {"anyOf": [ROW, {"type": "null"}]},
    "none": {"type": ["string", "null"], "maxLength": 5},
}


def schema(*names: str, **more: dict[str, Any]) -> dict[str, Any]:
    properties = {name: PARTS[name] for name in names} | more
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@dataclass
class Otherwise:
    """The guidance backend, given another schema than it was asked for."""

    change: Callable[[dict[str, Any]], dict[str, Any]]

    def compile_schema(self, json_schema: str) -> Grammar:
        changed = self.change(json.loads(json_schema))
        return compiler("guidance", BYTES).compile_schema(json.dumps(changed))

    def compile_regex(self, pattern: str) -> Grammar:
        return compiler("guidance", BYTES).compile_regex(pattern)


def tried(asked: dict[str, Any], over: Compiler) -> list[Outcome]:
    return experiment(asked, Bench("guidance", BYTES, over))


def found(asked: dict[str, Any], backend: Backend) -> dict[tuple[str, str], Outcome]:
    """The outcomes by kind and pointer."""
    outcomes = experiment(asked, Bench(backend, BYTES, compiler(backend, BYTES)))
    return {(one.kind, one.pointer): one for one in outcomes}


def without(path: tuple[str | int, ...], keyword: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def change(asked: dict[str, Any]) -> dict[str, Any]:
        changed: Any = copy.deepcopy(asked)
        part = changed
        for step in path:
            part = part[step]
        del part[keyword]
        return changed  # type: ignore[no-any-return]

    return change


CONSTRAINTS = [
    (spot.pointer, spot.path, keyword)
    for spot in spots(schema(*PARTS))
    for keyword in spot.constraints
    if keyword not in ("type", "anyOf") and (spot.pointer, keyword) != ("/step", "minimum")
]


def test_a_backend_that_holds_to_all_of_it_shows_nothing() -> None:
    assert tried(schema(*PARTS), compiler("guidance", BYTES)) == []


@pytest.mark.parametrize(("pointer", "path", "keyword"), CONSTRAINTS, ids=str)
def test_a_keyword_that_is_ignored_is_named_and_no_other(
    pointer: str, path: tuple[str | int, ...], keyword: str
) -> None:
    outcomes = tried(schema(*PARTS), Otherwise(without(path, keyword)))
    assert [(one.kind, one.pointer, one.keywords) for one in outcomes] == [
        (Kind.NOT_ENFORCED, pointer, (keyword,))
    ]
    assert outcomes[0].shown


def test_a_type_that_is_ignored_is_named() -> None:
    outcomes = tried(schema("least"), Otherwise(lambda asked: schema(least={"minimum": 3})))
    assert [(one.kind, one.pointer, one.keywords) for one in outcomes] == [
        (Kind.NOT_ENFORCED, "/least", ("type",))
    ]


def test_a_null_that_is_not_allowed_is_named() -> None:
    loose = schema(maybe={"anyOf": [ROW, {"type": "null"}, {"type": "boolean"}]})
    outcomes = tried(schema("maybe"), Otherwise(lambda _: loose))
    assert {(one.kind, one.pointer, one.shown) for one in outcomes} == {(Kind.NOT_ENFORCED, "/maybe", "true")}
    assert "anyOf" in {one.keywords[0] for one in outcomes}


def test_an_order_of_keys_that_is_ignored_is_named() -> None:
    asked = schema("word", "least", "kind")
    turned = {**asked, "properties": dict(reversed(asked["properties"].items()))}
    outcomes = tried(asked, Otherwise(lambda _: {"anyOf": [asked, turned]}))
    assert [(one.kind, one.pointer, one.keywords) for one in outcomes] == [(Kind.NOT_ENFORCED, "", (ORDER,))]


def test_what_is_right_and_cannot_be_said_is_shown() -> None:
    narrow = schema(most={"type": "integer", "maximum": 8}, none=PARTS["none"])
    outcomes = tried(schema("most", "none"), Otherwise(lambda _: narrow))
    assert [(one.kind, one.pointer, one.shown) for one in outcomes] == [(Kind.OVER_STRICT, "/most", "9")]


def test_a_pattern_beside_a_length_is_caught_on_xgrammar() -> None:
    """vLLM refuses it before xgrammar would ignore the length; without vLLM the ignored length shows."""
    outcomes = found(schema("code"), "xgrammar")
    caught = outcomes.get((Kind.REFUSED, "/code")) or outcomes[Kind.NOT_ENFORCED, "/code"]
    assert "maxLength" in caught.keywords


def test_a_bound_is_caught_on_outlines() -> None:
    outcomes = found(schema("least", "most"), "outlines")
    assert outcomes[Kind.NOT_ENFORCED, "/least"].keywords == ("minimum",)
    assert outcomes[Kind.NOT_ENFORCED, "/most"].keywords == ("maximum",)


def test_a_pattern_beside_a_length_is_caught_on_outlines() -> None:
    assert found(schema("code"), "outlines")[Kind.NOT_ENFORCED, "/code"].keywords == ("pattern",)


def test_what_is_refused_is_named_and_the_rest_is_tried_without_it() -> None:
    asked = schema("word", twice={"type": "array", "items": {"type": "integer"}, "uniqueItems": True})
    outcomes = tried(asked, compiler("guidance", BYTES))
    assert [(one.kind, one.pointer, one.keywords) for one in outcomes] == [
        (Kind.REFUSED, "/twice", ("uniqueItems",))
    ]
    assert "uniqueItems" in outcomes[0].reason


def test_of_what_is_too_large_the_parts_are_tried() -> None:
    @dataclass
    class Small(Otherwise):
        def compile_schema(self, json_schema: str) -> Grammar:
            if '"word"' in json_schema:
                raise SchemaTooLarge("no automaton within a minute")
            return super().compile_schema(json_schema)

    loose = without((), "minimum")
    over = Small(lambda asked: loose(asked) if "minimum" in asked else asked)
    outcomes = tried(schema("word", "least", "kind"), over)
    assert [(one.kind, one.pointer, one.keywords) for one in outcomes] == [
        (Kind.REFUSED, "", ()),
        (Kind.NOT_ENFORCED, "/least", ("minimum",)),
    ]


def test_a_schema_for_which_no_answer_is_found_is_not_called_tried() -> None:
    asked = schema(word={"type": "string", "pattern": "^(?=ab)(?=.*q)[a-z]{9}$"})
    outcomes = tried(asked, Otherwise(lambda _: schema("word")))
    assert [(one.kind, one.pointer) for one in outcomes] == [(Kind.UNTRIED, "")]
    assert "[a-z]{9}" in outcomes[0].reason


def test_a_backend_whose_library_is_missing_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, library in (
        ("guidance", "llguidance"),
        ("xgrammar", "xgrammar"),
        ("outlines", "outlines_core"),
    ):
        monkeypatch.setitem(sys.modules, library, None)
        backend: Backend = name  # type: ignore[assignment]
        with pytest.raises(EngineUnavailable, match=f"{name} backend.*install {library.replace('_', '-')}"):
            compiler(backend, BYTES)

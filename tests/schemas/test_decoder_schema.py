"""The schema that the decoder gets: its shape, its bounds, and that llguidance holds to it."""

from __future__ import annotations

import copy
import json
from datetime import date
from decimal import Decimal
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, ValidationError

from schemas.contract import ExtractionSchema, Money, Reasoning, Row, field
from schemas.errors import SchemaError
from schemas.json_schema import decoder_schema, longest_list, longest_output, numeral_pattern
from schemas.registry import SHIPPED
from schemas.shape import Bounds
from tests.schemas.grammar import Grammar

REFS = sorted(SHIPPED)


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def example(ref: str) -> dict[str, Any]:
    shipped = SHIPPED[ref].example
    assert shipped is not None
    return copy.deepcopy(dict(shipped[1]))


def objects(schema: Any) -> list[dict[str, Any]]:
    """Every object schema in a schema, itself among them."""
    below = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    found = [one for part in below for one in objects(part)]
    return [schema, *found] if isinstance(schema, dict) and schema.get("type") == "object" else found


@pytest.mark.parametrize("ref", REFS)
def test_references_are_inlined_and_every_key_is_required(ref: str) -> None:
    schema = decoder_schema(SHIPPED[ref])
    assert "$ref" not in compact(schema)
    assert objects(schema)
    for one in objects(schema):
        assert one["required"] == list(one["properties"])
        assert one["additionalProperties"] is False
    assert next(iter(schema["properties"])) == "reasoning"


@pytest.mark.parametrize("ref", REFS)
def test_the_grammar_takes_the_example_and_its_nulls(ref: str) -> None:
    grammar = Grammar(decoder_schema(SHIPPED[ref]))
    assert grammar.accepts(compact(example(ref)))
    nulls = {
        name: value if name == "reasoning" else [] if isinstance(value, list) else None
        for name, value in example(ref).items()
    }
    assert grammar.accepts(compact(nulls))
    SHIPPED[ref].model_validate(nulls)


BREAKS: list[tuple[str, str, Any]] = [
    ("receipt@1", "total", "1.234"),
    ("receipt@1", "total", "RM 8.30"),
    ("receipt@1", "total", "12345678.00"),
    ("receipt@1", "total", 8.3),
    ("receipt@1", "date", "27/11/2016"),
    ("receipt@1", "date", "2016-11-31"),
    ("receipt@1", "address", "x" * 161),
    ("receipt@1", "company", ""),
    ("receipt@1", "reasoning", "x" * 81),
    ("receipt@1", "reasoning", None),
    ("receipt@1", "surplus", "1"),
    ("invoice@1", "currency", "euro"),
    ("invoice@1", "lines", None),
    (
        "invoice@1",
        "lines",
        [{"description": None, "quantity": None, "unit_price": None, "amount": None}] * 13,
    ),
    ("invoice@1", "lines", [{"description": None}]),
    ("invoice@2", "document_type", "Rechnung"),
    ("invoice@2", "iban", "DE" + "0" * 39),
    ("invoice@2", "seller", {"name": "X"}),
    ("nda@1", "parties", ["x"] * 9),
    ("nda@1", "parties", ["x" * 81]),
    ("review@1", "score", 10),
    ("review@1", "score", -1),
    ("review@1", "label", "mixed"),
]


@pytest.mark.parametrize(("ref", "name", "value"), BREAKS)
def test_grammar_and_class_refuse_what_is_out_of_bounds(ref: str, name: str, value: Any) -> None:
    broken = {**example(ref), name: value}
    assert not Grammar(decoder_schema(SHIPPED[ref])).accepts(compact(broken))
    if (ref, name, value) != ("receipt@1", "total", 8.3):  # the class takes numbers, for unguided modes
        with pytest.raises(ValidationError):
            SHIPPED[ref].model_validate(broken)


@pytest.mark.parametrize("ref", REFS)
def test_the_grammar_leaves_no_room_for_white_space(ref: str) -> None:
    assert not Grammar(decoder_schema(SHIPPED[ref])).accepts(json.dumps(example(ref)))


@pytest.mark.parametrize("ref", REFS)
def test_a_key_left_out_or_out_of_order_is_refused(ref: str) -> None:
    grammar = Grammar(decoder_schema(SHIPPED[ref]))
    whole = example(ref)
    last = list(whole)[-1]
    assert not grammar.accepts(compact({name: value for name, value in whole.items() if name != last}))
    assert not grammar.accepts(compact(dict(reversed(whole.items()))))


def test_the_longest_answer_is_as_long_as_said() -> None:
    longest = {
        "reasoning": "x" * 84, "company": "x" * 126, "date": "2024-12-31", "address": "x" * 168,
        "total": "-1234567.89",
    }  # fmt: skip
    # A twentieth of each string is kept for escapes: 80, 120 and 160 characters count as 84, 126 and 168.
    assert longest_output(SHIPPED["receipt@1"]) == len(compact(longest))


@pytest.mark.parametrize("ref", REFS)
def test_no_example_is_longer_than_the_longest_answer(ref: str) -> None:
    assert len(compact(example(ref))) <= longest_output(SHIPPED[ref])


@settings(max_examples=60)
@given(digits=st.integers(2, 18), places=st.integers(0, 6), data=st.data())
def test_the_class_takes_what_the_pattern_allows(digits: int, places: int, data: st.DataObject) -> None:
    places = min(places, digits - 1)
    pattern = numeral_pattern(Bounds(max_digits=digits, decimal_places=places))

    class One(ExtractionSchema):
        amount: Annotated[Decimal, Field(max_digits=digits, decimal_places=places)]

    text = data.draw(st.from_regex(pattern, fullmatch=True))
    assert Grammar({"type": "string", "pattern": pattern}).accepts(compact(text))
    assert One.model_validate({"amount": text}).amount == Decimal(text)


def test_a_sign_only_where_it_may_be() -> None:
    assert numeral_pattern(Bounds(max_digits=5, decimal_places=2, ge=Decimal(0))) == (
        r"^(0|[1-9][0-9]{0,2})(\.[0-9]{1,2})?$"
    )
    assert numeral_pattern(Bounds(max_digits=3, decimal_places=0)) == "^-?(0|[1-9][0-9]{0,2})$"


def test_unusual_shapes() -> None:
    class Inner(Row):
        value: Money | None

    class Odd(ExtractionSchema):
        reasoning: Reasoning
        inner: Inner | None
        rows: list[Inner] | None = field(min_length=1, max_length=2)
        days: list[date] = field(max_length=2)
        count: Annotated[int, Field(gt=0, lt=10)] | None

    schema = decoder_schema(Odd)["properties"]
    assert schema["inner"]["anyOf"][1] == schema["rows"]["anyOf"][1] == {"type": "null"}
    assert (schema["rows"]["anyOf"][0]["minItems"], schema["rows"]["anyOf"][0]["maxItems"]) == (1, 2)
    assert schema["count"] == {"type": ["integer", "null"], "minimum": 1, "maximum": 9}
    answer = {"reasoning": "", "inner": None, "rows": None, "days": ["2024-01-31"], "count": 9}
    assert Grammar(decoder_schema(Odd)).accepts(compact(answer))
    assert Odd.model_validate(answer).days == [date(2024, 1, 31)]


@pytest.mark.parametrize("annotation", [float, float | None, list[float], bytes, dict[str, str], int | str])
def test_types_that_no_check_can_follow_are_refused(annotation: Any) -> None:
    made: type[BaseModel] = type("Made", (ExtractionSchema,), {"__annotations__": {"amount": annotation}})
    with pytest.raises(SchemaError, match=r"Made\.amount"):
        decoder_schema(made)


def test_the_longest_list_is_the_largest_anywhere() -> None:
    inner = {"type": "array", "maxItems": 40, "items": {"type": "string"}}
    rows = {"type": "array", "maxItems": 12, "items": {"properties": {"tags": {"anyOf": [inner]}}}}
    assert longest_list({"properties": {"maxItems": {"type": "integer"}, "rows": rows}}) == 40
    assert longest_list({"properties": {"a": {"type": "string"}}}) == 0

"""Values in and out of a schema class: exact, strict, and with their places."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.contract import (
    Derived,
    ExtractionSchema,
    Identifier,
    Kind,
    LongText,
    Money,
    Quantity,
    Reasoning,
    Row,
    Text,
    consistency,
    field,
    inconsistent,
    leaves,
)
from schemas.records import Category, Finding, Level, Severity


class Part(Row):
    label: Text | None
    count: Quantity | None

    @consistency("count-known")
    def known(self) -> Iterator[Finding]:
        if self.count is None:
            yield inconsistent("No count.", pointer="/count")


class Order(ExtractionSchema):
    reasoning: Reasoning
    number: Identifier | None = field("As printed.", compare="identifier")
    placed: date | None
    state: Literal["open", "closed"] | None = field(synonyms={"open": ["offen"]}, evidence=True)
    urgent: bool | None
    parts: list[Part] = field(max_length=3)
    delivery: Part | None
    notes: list[LongText] = field(max_length=2, compare="words")
    total: Money | None = field(scale=1000, locale="de")
    mood: Annotated[int, Derived] | None

    @consistency
    def total_is_not_zero(self) -> Iterator[Finding]:
        if self.total == 0:
            yield inconsistent("Zero.", pointer="/total", expected="not 0", found=self.total)

    @consistency
    def always_broken(self) -> Iterator[Finding]:
        if self.mood == 13:
            raise ZeroDivisionError("by mood")
        yield from ()


def answer(**changes: Any) -> dict[str, Any]:
    """A valid answer of `Order`, as JSON values."""
    return {
        "reasoning": "Short.",
        "number": "A-1",
        "placed": "2024-03-09",
        "state": "open",
        "urgent": None,
        "parts": [{"label": "bolt", "count": "2.5"}, {"label": None, "count": 4}],
        "delivery": None,
        "notes": ["by hand"],
        "total": "12.50",
        "mood": 3,
        **changes,
    }


def test_values_take_their_python_types() -> None:
    order = Order.model_validate(answer())
    assert order.placed == date(2024, 3, 9)
    assert order.parts[0].count == Decimal("2.5")
    assert str(order.total) == "12.50"


@given(st.decimals(min_value=-999_999_999, max_value=999_999_999, places=3))
def test_money_is_exact_as_string_and_as_json_number(amount: Decimal) -> None:
    for text in (f'"{amount:f}"', f"{amount:f}"):
        raw = json.dumps(answer()).replace('"12.50"', text)
        assert Order.model_validate(json.loads(raw, parse_float=Decimal)).total == amount
        assert Order.model_validate_json(raw).total == amount


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"total": "1e5"}, "decimal_parsing"),
        ({"total": "1.234,56"}, "decimal_parsing"),
        ({"total": "12.50 EUR"}, "decimal_parsing"),
        ({"total": "٣"}, "decimal_parsing"),
        ({"total": True}, "decimal_type"),
        ({"total": "1.2345"}, "decimal_max_places"),
        ({"total": "1234567890123"}, "decimal_max_digits"),
        ({"placed": "2023-02-29"}, "date_parsing"),
        ({"placed": "09.03.2024"}, "date_parsing"),
        ({"placed": "2024-03-09T00:00:00"}, "date_parsing"),
        ({"placed": 19791}, "date_type"),
        ({"state": "Open"}, "literal_error"),
        ({"urgent": "yes"}, "bool_type"),
        ({"mood": "3"}, "int_type"),
        ({"mood": 3.0}, "int_type"),
        ({"number": 7}, "string_type"),
        ({"reasoning": "x" * 81}, "string_too_long"),
        ({"parts": [{"label": "a", "count": "1"}] * 4}, "too_long"),
        ({"surplus": 1}, "extra_forbidden"),
    ],
)
def test_what_is_not_of_the_type_is_refused(change: dict[str, Any], kind: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Order.model_validate(answer(**change))
    assert [error["type"] for error in caught.value.errors()] == [kind]


@pytest.mark.parametrize("name", list(answer()))
def test_every_key_is_required(name: str) -> None:
    lacking = {key: value for key, value in answer().items() if key != name}
    with pytest.raises(ValidationError, match=rf"{name}\n  Field required"):
        Order.model_validate(lacking)


def test_leaves_are_in_order_with_their_rows_and_marks() -> None:
    found = {leaf.pointer: leaf for leaf in leaves(Order.model_validate(answer()))}
    assert list(found) == [
        "/number", "/placed", "/state", "/urgent", "/parts/0/label", "/parts/0/count", "/parts/1/label",
        "/parts/1/count", "/delivery", "/notes/0", "/total", "/mood",
    ]  # fmt: skip
    kinds = [found[f"/{name}"].kind for name in ("number", "placed", "state", "urgent", "notes/0", "total")]
    assert kinds == [
        Kind.IDENTIFIER, Kind.DATE, Kind.ENUM, Kind.BOOLEAN, Kind.LONG_TEXT, Kind.NUMBER,
    ]  # fmt: skip
    assert found["/parts/1/count"].row == "/parts/1"
    assert found["/parts/1/count"].value == Decimal(4)
    assert found["/notes/0"].row == found["/total"].row == ""
    assert found["/delivery"].value is None
    assert found["/state"].synonyms == {"open": ("offen",)}
    assert found["/state"].evidence
    assert (found["/total"].scale, found["/total"].locale) == (Decimal(1000), "de")
    assert found["/number"].compare == "identifier"
    assert found["/notes/0"].compare == "words"
    assert [pointer for pointer, leaf in found.items() if leaf.derived] == ["/mood"]


def test_rules_of_rows_report_at_the_rows_place() -> None:
    order = Order.model_validate(answer(parts=[{"label": "a", "count": None}], total="0"))
    assert [(finding.rule, finding.pointer) for finding in order.findings()] == [
        ("total_is_not_zero", "/total"),
        ("count-known", "/parts/0/count"),
    ]
    first = order.findings()[0]
    assert (first.level, first.category, first.expected, first.found) == (
        Level.CONSISTENCY, Category.INCONSISTENT, "not 0", "0",
    )  # fmt: skip


def test_a_rule_that_fails_is_a_finding() -> None:
    (finding,) = Order.model_validate(answer(mood=13)).findings()
    assert (finding.rule, finding.severity) == ("always_broken", Severity.ERROR)
    assert "ZeroDivisionError: by mood" in finding.message


def test_a_warning_has_no_category() -> None:
    assert inconsistent("Odd.", severity=Severity.WARNING).category is None

"""Each mismatch with the schema is one finding with its category and its pointer."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.contract import ExtractionSchema, Reasoning, Row, Text, consistency
from schemas.records import Category, Finding, Level, Severity
from tests.validators.inv2041 import Bill, answer
from validators import consistency as consistency_level
from validators import schema

C = Category


def with_line(**change: Any) -> dict[str, Any]:
    value = answer()
    value["lines"][1].update(change)
    return value


@pytest.mark.parametrize(
    ("value", "category", "pointer"),
    [
        ([], C.WRONG_TYPE, ""),
        ("text", C.WRONG_TYPE, ""),
        ({**answer(), "currency": "GBP"}, C.NOT_IN_ENUM, "/currency"),
        ({**answer(), "customer": 5}, C.WRONG_TYPE, "/customer"),
        ({**answer(), "lines": None}, C.WRONG_TYPE, "/lines"),
        ({**answer(), "lines": {}}, C.WRONG_TYPE, "/lines"),
        ({**answer(), "customer": "x" * 121}, C.CONSTRAINT, "/customer"),
        ({**answer(), "a/b~c": 1}, C.UNEXPECTED_FIELD, "/a~1b~0c"),
        ({k: v for k, v in answer().items() if k != "total"}, C.MISSING_FIELD, "/total"),
        (with_line(quantity="many"), C.WRONG_TYPE, "/lines/1/quantity"),
        (with_line(quantity=True), C.WRONG_TYPE, "/lines/1/quantity"),
        (with_line(colour="red"), C.UNEXPECTED_FIELD, "/lines/1/colour"),
    ],
)
def test_one_mismatch(value: Any, category: Category, pointer: str) -> None:
    instance, findings = schema.check(value, Bill)
    assert instance is None
    assert [(finding.category, finding.pointer) for finding in findings] == [(category, pointer)]


def test_all_mismatches_are_named() -> None:
    value = {**answer(), "currency": "GBP", "customer": 5}
    del value["total"]
    _, findings = schema.check(value, Bill)
    assert {finding.pointer for finding in findings} == {"/currency", "/customer", "/total"}


class Part(Row):
    name: Text | None


class Broken(ExtractionSchema):
    reasoning: Reasoning
    parts: list[Part]

    @consistency
    def divides(self) -> list[Finding]:
        return [Finding(Level.CONSISTENCY, "", Severity.INFO, str(1 / len(self.parts)))]

    @consistency
    def speaks(self) -> list[Finding]:
        return [Finding(Level.CONSISTENCY, "", Severity.INFO, "still here")]


def test_a_rule_that_raises_is_a_finding_and_the_others_run() -> None:
    findings = consistency_level.check(Broken(reasoning="", parts=[]))
    assert any("ZeroDivisionError" in finding.message for finding in findings)
    assert any("still here" in finding.message for finding in findings)

"""Every design rule has a class that breaks it and one that keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from functools import partial
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from extractors.backends.findings import backend_hits
from schemas.contract import (
    ExtractionSchema,
    Money,
    Quantity,
    Reasoning,
    Row,
    Text,
    consistency,
    field,
    inconsistent,
)
from schemas.lint import RULES, lint, lint_version
from schemas.lock import release
from schemas.records import Severity
from schemas.registry import load
from tests.schemas.grammar import bench

TRIED = {"S010": partial(backend_hits, bench=bench())}


class Good(ExtractionSchema):
    """Keeps every rule; the others differ from it in one thing each."""

    example = ("One bolt.", {"reasoning": "", "name": "bolt", "state": None, "rows": [], "count": 1})

    reasoning: Reasoning
    name: Text | None
    state: Literal["in stock", "sold out"] | None
    rows: list[Row] = field(max_length=2)
    count: Annotated[int, Field(ge=0, le=9)] | None


class Late(ExtractionSchema):
    name: Text | None
    reasoning: Reasoning


class Plain(ExtractionSchema):
    reasoning: Text


class Filled(ExtractionSchema):
    reasoning: Reasoning
    name: Text
    part: Row


class Defaulted(ExtractionSchema):
    reasoning: Reasoning
    name: Text | None = None


class Loose(ExtractionSchema):
    class Inner(BaseModel):
        name: Text | None

    model_config = ConfigDict(extra="allow")
    reasoning: Reasoning
    inner: Inner | None


class Endless(ExtractionSchema):
    reasoning: str
    name: str | None
    essay: Annotated[str, StringConstraints(max_length=5000)] | None
    rows: list[Text]
    price: Decimal | None
    places: Annotated[Decimal, Field(max_digits=8)] | None
    count: int | None
    least: Annotated[int, Field(ge=0)] | None


class Code(StrEnum):
    PAID = "PARTIALLY_PAID"
    NEXT = "nextDay"
    TYPE = "380"
    FINE = "paid in full"


class Coded(ExtractionSchema):
    reasoning: Reasoning
    state: Code | None
    currency: Literal["EUR", "USD"] | None = field(synonyms={"EUR": ["€"]})


class Floating(ExtractionSchema):
    reasoning: Reasoning
    price: float | None


class Endlessly(ExtractionSchema):
    reasoning: Reasoning
    inner: Endlessly | None


class Closed(ExtractionSchema):
    reasoning: Reasoning
    state: Literal["open", "closed"]


class WrongExample(ExtractionSchema):
    example = ("Two.", {"reasoning": "", "count": "2,0"})
    reasoning: Reasoning
    count: Quantity | None


class BrokenExample(ExtractionSchema):
    example = ("Minus one.", {"reasoning": "", "count": "-1"})
    reasoning: Reasoning
    count: Quantity | None

    @consistency
    def not_negative(self) -> Any:
        if self.count is not None and self.count < 0:
            yield inconsistent("Negative.", pointer="/count")


class Strangers(ExtractionSchema):
    reasoning: Reasoning
    state: Literal["open"] | None = field(synonyms={"opened": ["offen"]})


class Adrift(ExtractionSchema):
    reasoning: Reasoning
    code: Annotated[str, StringConstraints(pattern="[a-z]{3}", max_length=9)] | None


class BareExample(ExtractionSchema):
    example = "A document alone."  # type: ignore[assignment]
    reasoning: Reasoning


@dataclass
class Case:
    cls: type[ExtractionSchema]
    code: str
    pointers: list[str]


CASES = [
    Case(Late, "S001", [""]),
    Case(Plain, "S001", [""]),
    Case(Filled, "S002", ["/name", "/part"]),
    Case(Defaulted, "S003", ["/name"]),
    Case(Loose, "S004", ["", "/inner"]),
    Case(Endless, "S005", ["/reasoning", "/name", "/essay"]),
    Case(Endless, "S006", ["/rows"]),
    Case(Endless, "S007", ["/price", "/places", "/count", "/least"]),
    Case(Coded, "S008", ["/state", "/state", "/state", "/currency"]),
    Case(Floating, "S011", ["/price"]),
    Case(Endlessly, "S011", ["/inner"]),
    Case(Closed, "S012", ["/state"]),
    Case(WrongExample, "S013", ["/count"]),
    Case(BrokenExample, "S013", ["/count"]),
    Case(Strangers, "S014", ["/state"]),
    Case(Adrift, "S015", ["/code"]),
    Case(BareExample, "S016", [""]),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}-{case.cls.__name__}")
def test_a_broken_rule_is_named_with_its_place(case: Case) -> None:
    found = [finding for finding in lint(case.cls) if finding.code == case.code]
    assert [finding.pointer for finding in found] == case.pointers
    assert all(finding.severity is Severity.ERROR for finding in found)
    assert (found[0].why, found[0].fix) == (RULES[case.code].why, RULES[case.code].fix)


def test_a_class_that_keeps_every_rule_has_no_findings() -> None:
    assert lint(Good, released=release(Good), tried=TRIED) == []


def test_each_rule_that_reads_the_class_has_a_case() -> None:
    assert {case.code for case in CASES} | {"S009", "S010", "S017", "S018"} == set(RULES)


def test_a_changed_release_is_shown_with_its_difference() -> None:
    class Changed(Good):
        instructions = "Count the bolts."

    (finding,) = lint(Changed, released=release(Good), ref="good@1")
    assert finding.code == "S009"
    assert '+ "instructions": "Count the bolts."' in finding.message


class Looking(ExtractionSchema):
    """Python's own regular expressions look ahead; the grammar's cannot."""

    model_config = ConfigDict(regex_engine="python-re")
    reasoning: Reasoning
    code: Annotated[str, StringConstraints(pattern="^(?=a)[a-z]+$", max_length=9)] | None


class Limited(ExtractionSchema):
    reasoning: Reasoning
    price: Annotated[Decimal, Field(max_digits=8, decimal_places=2, ge=0, le=500)] | None
    anchored: Annotated[str, StringConstraints(pattern="^[a-z]{3,}$", max_length=9)] | None
    days: list[date] = field(min_length=1, max_length=2)


def test_what_the_grammar_refuses_is_an_error() -> None:
    found = [finding for finding in lint(Looking, tried=TRIED) if finding.code == "S010"]
    assert [(finding.pointer, finding.severity) for finding in found] == [("/code", Severity.ERROR)]
    assert "look" in found[0].message


def test_what_the_grammar_does_not_hold_is_named() -> None:
    found = {(one.pointer, one.severity): one.message for one in lint(Limited, tried=TRIED)}
    assert found == {
        ("/price", Severity.WARNING): "The decoder's schema cannot say le=500 of a decimal.",
        ("/days/*", Severity.INFO): 'Not enforced by guidance: format; "2023-02-29" gets through.',
    }


@pytest.mark.parametrize("version", load().all(), ids=lambda version: version.ref)
def test_shipped_versions_keep_every_rule(version: Any) -> None:
    assert [
        finding for finding in lint_version(version, TRIED) if finding.severity is not Severity.INFO
    ] == []


def test_money_keeps_the_rules() -> None:
    class Paid(ExtractionSchema):
        reasoning: Reasoning
        price: Money | None
        count: Quantity | None

    assert lint(Paid, tried=TRIED) == []

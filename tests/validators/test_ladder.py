"""The ladder: each level decides where it must, and none hides what stands above it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from schemas.records import Category, Ending, Level, Match, Status
from tests.validators.inv2041 import SOURCE, Bill, answer
from validators.ladder import validate


@pytest.mark.parametrize(
    ("change", "status", "category"),
    [
        ({}, Status.ACCEPTED, None),
        ({"total": 50.0}, Status.FLAGGED, Category.INCONSISTENT),
        ({"issue_date": "2024-03-01"}, Status.FLAGGED, Category.UNGROUNDED),
        ({"currency": "euro"}, Status.REJECTED, Category.NOT_IN_ENUM),
        ({"note": "x"}, Status.REJECTED, Category.UNEXPECTED_FIELD),
        ({"total": "a lot"}, Status.REJECTED, Category.WRONG_TYPE),
        ({"issue_date": 20240309}, Status.REJECTED, Category.WRONG_TYPE),
        ({"customer": "n" * 121}, Status.REJECTED, Category.CONSTRAINT),
        ({"invoice_number": "INV-2042"}, Status.FLAGGED, Category.UNGROUNDED),
        ({"customer": None}, Status.ACCEPTED, None),
    ],
)
def test_one_change_gives_its_category(change: dict[str, Any], status: Status, category: Category) -> None:
    verdict = validate(json.dumps({**answer(), **change}), Bill, SOURCE)
    assert (verdict.status, verdict.category) == (status, category)


def test_trailing_comma_is_a_syntax_error() -> None:
    verdict = validate(json.dumps(answer())[:-1] + ",}", Bill, SOURCE)
    assert (verdict.status, verdict.category) == (Status.REJECTED, Category.SYNTAX_ERROR)


def test_date_in_words_grounds() -> None:
    source = SOURCE.replace("2024-03-09", "March 9, 2024")
    verdict = validate(json.dumps(answer()), Bill, source)
    assert verdict.status is Status.ACCEPTED
    field = next(field for field in verdict.fields if field.pointer == "/issue_date")
    assert field.span is not None
    assert (field.match, source[field.span.start : field.span.end]) == (Match.NORMALISED, "March 9, 2024")


def test_consistency_does_not_hide_grounding() -> None:
    verdict = validate(json.dumps({**answer(), "total": 50.0, "issue_date": "2024-03-01"}), Bill, SOURCE)
    assert {finding.level for finding in verdict.findings} == {Level.CONSISTENCY, Level.GROUNDING}
    assert verdict.category is Category.INCONSISTENT


@pytest.mark.parametrize(
    ("ending", "category"),
    [
        (Ending.LENGTH, Category.TRUNCATED),
        (Ending.REPETITION, Category.REPETITION),
        (Ending.REFUSAL, Category.REFUSED),
        (Ending.ABORT, Category.ABORTED),
        (Ending.TIMEOUT, Category.TIMEOUT),
        (Ending.ERROR, Category.ENGINE_ERROR),
    ],
)
def test_endings_are_decode_categories(ending: Ending, category: Category) -> None:
    verdict = validate(json.dumps(answer()), Bill, SOURCE, ending=ending)
    assert (verdict.level, verdict.category) == (Level.DECODE, category)


def test_missing_field_in_a_row_is_pointed_at() -> None:
    wrong = answer()
    del wrong["lines"][1]["quantity"]
    verdict = validate(json.dumps(wrong), Bill, SOURCE)
    assert [(f.category, f.pointer) for f in verdict.findings] == [
        (Category.MISSING_FIELD, "/lines/1/quantity")
    ]


def test_span_of_a_repeated_value_is_the_one_of_its_row() -> None:
    source = "Header 12.00\n" + SOURCE
    verdict = validate(json.dumps(answer()), Bill, source)
    places = {field.pointer: field.span for field in verdict.fields}
    amount, item = places["/lines/1/amount"], places["/lines/1/item"]
    assert amount
    assert item
    assert source.count("\n", 0, amount.start) == source.count("\n", 0, item.start)

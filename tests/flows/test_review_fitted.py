"""What a person corrects has every place of its schema, whatever the model left out or made up."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from flows.review.fitted import fitted
from schemas.contract import ExtractionSchema, Reasoning, field


class Line(BaseModel):
    """A row."""

    name: str | None = field("What.")
    amount: str | None = field("How much.")


class Bill(ExtractionSchema):
    """A small schema with a list."""

    reasoning: Annotated[Reasoning, Field(max_length=5)]
    number: str | None = field("Its number.")
    lines: list[Line] = field("Its rows.")


NONE: dict[str, object] = {"reasoning": "", "number": None, "lines": []}


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (None, NONE),
        ({}, NONE),
        ({"number": "1", "more": {"a": 1}}, {**NONE, "number": "1"}),
        ({"number": {"a": 1}, "lines": {"name": "x"}}, NONE),
        ({"reasoning": 7, "number": 7}, {**NONE, "number": 7}),
        ({"reasoning": "long and longer"}, {**NONE, "reasoning": "long "}),
        (
            {"lines": [{"amount": "1", "tax": "2"}, "3"]},
            {**NONE, "lines": [{"name": None, "amount": "1"}, {"name": None, "amount": None}]},
        ),
    ],
)
def test_an_answer_gets_the_places_of_its_schema(
    answer: dict[str, Any] | None, found: dict[str, Any]
) -> None:
    assert fitted(Bill, answer) == found
    assert fitted(Bill, found) == found

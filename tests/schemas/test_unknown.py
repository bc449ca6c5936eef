"""What stands where nothing is known, and what cannot be left so."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.contract import ExtractionSchema, Reasoning, Row, Text, field
from schemas.shape import Array, Object, member
from schemas.unknown import asked, unknown


class Part(Row):
    """A row of a row."""

    kind: Literal["a", "b"]
    size: int | None


class Line(Row):
    """A row with what may be unknown, and what may not."""

    name: Text
    amount: int | None
    part: Part
    spare: Part | None
    tags: list[Text] = field("At least one.", max_length=3)
    parts: Annotated[list[Part], Field(min_length=2, max_length=4)]
    more: list[Part] | None = field("Perhaps.", max_length=3)


class Order(ExtractionSchema):
    """A list of such rows."""

    reasoning: Reasoning
    lines: list[Line | None] = field("Rows.", max_length=9)


def test_all_is_null_that_may_be_and_the_rest_is_asked_for() -> None:
    lines = member(Order, "lines")
    assert isinstance(lines, Array)
    part = {"kind": None, "size": None}
    row = {"name": None, "amount": None, "part": part, "spare": None}
    assert unknown(lines.item, there=True) == {**row, "tags": [], "parts": [part, part], "more": None}
    places = [pointer for pointer, _ in asked(lines.item, there=True)]
    assert places == ["/name", "/part/kind", "/parts/0/kind", "/parts/1/kind"]
    assert unknown(lines.item) is None
    assert list(asked(lines.item)) == []


def test_an_answer_of_unknowns_asks_for_its_reasoning_alone() -> None:
    assert unknown(Object(Order)) == {"reasoning": None, "lines": []}
    assert [pointer for pointer, _ in asked(Object(Order))] == ["/reasoning"]

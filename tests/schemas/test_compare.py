"""What `field(compare=...)` may say."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from schemas.compare import Comparison, parse
from schemas.contract import ExtractionSchema, Money, Reasoning, Row, Text, field, leaves
from schemas.errors import SchemaError
from schemas.fingerprint import fingerprint
from schemas.shape import Array, Object


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (None, Comparison()),
        ("name", Comparison(None, "name")),
        ("ordered", Comparison("ordered")),
        ("set name", Comparison("set", "name")),
        ("tolerance 0.01", Comparison(None, "tolerance", Decimal("0.01"))),
        ("set tolerance 1%", Comparison("set", "tolerance", Decimal("0.01"), relative=True)),
    ],
)
def test_parsed(written: str | None, meant: Comparison) -> None:
    assert parse(written) == meant


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("nam", "did you mean name"),
        ("adress", "address"),
        ("tolerance", "tolerance 0.01"),
        ("tolerance -1", "tolerance 0.01"),
        ("tolerance 1e9", "tolerance 0.01"),
        ("name set", "'set'|no comparison"),
        ("zzz", "it may be set"),
    ],
)
def test_an_unknown_comparison_is_refused_where_it_is_written(written: str, named: str) -> None:
    with pytest.raises(SchemaError, match=named):
        field(compare=written)


def test_a_comparison_that_does_not_suit_the_field_is_refused() -> None:
    class Bill(ExtractionSchema):
        """A bill."""

        reasoning: Reasoning
        due: dt.date | None = field(compare="name")

    with pytest.raises(SchemaError, match=r"Bill\.due: .* does not suit a date field; it may be exact, date"):
        list(Object(Bill).members)


def test_a_list_rule_needs_a_list() -> None:
    class Bill(ExtractionSchema):
        """A bill."""

        reasoning: Reasoning
        seller: Text | None = field(compare="set")

    with pytest.raises(SchemaError, match=r"Bill\.seller: .* it is no list"):
        list(Object(Bill).members)


class Line(Row):
    """A line."""

    total: Money | None


def test_objects_are_no_set() -> None:
    class Bill(ExtractionSchema):
        """A bill."""

        reasoning: Reasoning
        lines: list[Line] = field(max_length=3, compare="set")

    with pytest.raises(SchemaError, match="rows or ordered"):
        list(Object(Bill).members)


def _bill(compare: str | None) -> type[ExtractionSchema]:
    class Bill(ExtractionSchema):
        """A bill."""

        reasoning: Reasoning
        lines: list[Line] = field(max_length=3, compare=compare)

    return Bill


def test_a_list_of_objects_keeps_its_comparison_and_it_counts_in_the_fingerprint() -> None:
    node = dict(Object(_bill("ordered")).members)["lines"]
    assert isinstance(node, Array)
    assert node.mark.compare == "ordered"
    assert fingerprint(_bill("ordered")) != fingerprint(_bill(None)) == fingerprint(_bill(None))
    filled = _bill("ordered").model_validate({"reasoning": "", "lines": [{"total": "1"}]})
    assert [leaf.compare for leaf in leaves(filled)] == [None]

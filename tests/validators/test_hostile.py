"""No input makes an index or a validator raise, or take more than linear time."""

from __future__ import annotations

import time
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.contract import Kind, Leaf
from schemas.records import Ending, Verdict
from tests.validators.inv2041 import SOURCE, Bill
from validators.grounding.check import check
from validators.grounding.index import SourceIndex
from validators.ladder import validate

LEAVES = [
    Leaf("/text", "Northwind Traders of 12 Long Street", Kind.TEXT, ""),
    Leaf("/identifier", "INV-2041", Kind.IDENTIFIER, ""),
    Leaf("/number", Decimal("1234.56"), Kind.NUMBER, ""),
    Leaf("/date", date(2024, 3, 9), Kind.DATE, ""),
    Leaf("/currency", "EUR", Kind.ENUM, ""),
    Leaf("/term", "2 years", Kind.TEXT, ""),
    Leaf("/quote", "issued on", Kind.TEXT, "", evidence=True),
]
HOSTILE = {
    "digits": "1",
    "spaced digits": "1 ",
    "grouped digits": "123.",
    "date parts": "12/",
    "brackets": "[",
    "braces and quotes": '{"',
    "marks": "\u0301",
    "unordered marks": "\u0301\u0323\u0345",
    "months": "may ",
    "days of": "31st day of ",
    "spaces": " ",
    "after a digit, spaces": "1" + " " * 500,
    "new lines": "\n",
    "minus": "-",
    "and": "and ",
    "hangul": "\u1100\u1161",
    "ligature": "\ufdfa" + "x" * 9,
    "number words": "twenty two thousand ",
    "the start of the value": "northwind traders of 12 long stree ",
    "invoice numbers": "invoice no. 12 ",
}


def seconds(unit: str, size: int) -> float:
    """Processor time for a text of `size` characters that repeats `unit`."""
    text = (unit * (size // len(unit) + 1))[:size]
    start = time.process_time()
    check(LEAVES, SourceIndex(text))
    return time.process_time() - start


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_time_is_linear_in_the_text(unit: str) -> None:
    few, many = seconds(unit, 25_000), seconds(unit, 200_000)
    # Eight times the text takes about eight times the time; quadratic would be 64 times.
    assert many < 24 * few + 0.3


@pytest.mark.parametrize("unit", ["1", "[", "\u0301"])
def test_a_megabyte_is_done_in_seconds(unit: str) -> None:
    assert seconds(unit, 1_000_000) < 15


@pytest.mark.parametrize("unit", ["[", '{"a":', '"', "1", "{}", "\\", ' "\\', "-", "1e9"])
def test_a_megabyte_of_answer_takes_linear_time(unit: str) -> None:
    start = time.process_time()
    verdict = validate(unit * (1_000_000 // len(unit)), Bill, SOURCE)
    assert verdict.level is not None
    assert time.process_time() - start < 5


@settings(max_examples=200)
@given(st.text(), st.text(), st.sampled_from(Ending))
def test_any_answer_and_any_source_give_a_verdict(answer: str, source: str, ending: Ending) -> None:
    assert isinstance(validate(answer, Bill, source, ending=ending), Verdict)


@settings(max_examples=200)
@given(st.text(max_size=400), st.text(min_size=1, max_size=60))
def test_spans_lie_in_the_text(source: str, value: str) -> None:
    leaves = [Leaf("/value", value, kind, "") for kind in (Kind.TEXT, Kind.IDENTIFIER, Kind.ENUM)]
    for result in check(leaves, SourceIndex(source + value)).fields:
        if result.span:
            assert 0 <= result.span.start < result.span.end <= len(source + value)

"""A question as a person can run it gives the answer that its parameters gave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse.asked import Asked, literal
from warehouse.asking import Questions

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
VALUE = TEXT | st.booleans() | st.integers(-(2**62), 2**62) | st.lists(TEXT, min_size=1, max_size=4)


@pytest.fixture(scope="module")
def ask() -> Iterator[Questions]:
    with duckdb.connect(config={"threads": 1}) as connection:
        yield Questions(connection)


@given(VALUE)
def test_a_literal_is_the_parameter(ask: Questions, value: Any) -> None:
    asked = Asked("SELECT $value AS value", {"value": value})
    assert ask.rows(asked.text) == asked.rows(ask) == [{"value": value}]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("it's", "'it''s'"),
        ("$value", "'$value'"),
        ("", "''"),
        ("a\x1b[2Jb", "('a' || chr(27) || '[2Jb')"),
        ("\u202e", "chr(8238)"),
        (None, "NULL"),
        (["a", 1, True], "['a', 1, true]"),
    ],
)
def test_what_cannot_be_seen_is_written_by_its_number(value: Any, written: str) -> None:
    assert literal(value) == written
    assert Asked("SELECT $value, $value", {"value": value}).text == f"SELECT {written}, {written}"


def test_what_has_no_literal_is_refused() -> None:
    with pytest.raises(TypeError, match="object"):
        literal(object())

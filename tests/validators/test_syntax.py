"""Strict JSON: what is refused, under which category, and that nothing is repaired or rounded."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records import Category
from validators import syntax

T = Category


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ('Here it is: {"a": 1}', T.TEXT_BEFORE_JSON),
        ('```json\n{"a": 1}\n```', T.TEXT_BEFORE_JSON),
        ('Sure! {"a": 1', T.TEXT_BEFORE_JSON),
        ('{"a": 1} I hope this helps', T.TEXT_AFTER_JSON),
        ('{"a": 1}{"a": 2}', T.TEXT_AFTER_JSON),
        ('{"a": "cut of', T.UNCLOSED),
        ('{"a": [1, 2', T.UNCLOSED),
        ('{"a": 1', T.UNCLOSED),
        ('{"a": "b\\', T.UNCLOSED),
        ('{"a":', T.UNCLOSED),
        ("", T.SYNTAX_ERROR),
        ("no JSON at all", T.SYNTAX_ERROR),
        ('{"a": 1,}', T.SYNTAX_ERROR),
        ("{'a': 1}", T.SYNTAX_ERROR),
        ('{"a": NaN}', T.SYNTAX_ERROR),
        ('{"a": -Infinity}', T.SYNTAX_ERROR),
        ('{"a": 1, "a": 2}', T.SYNTAX_ERROR),
        ('{"a": 01}', T.SYNTAX_ERROR),
        ('{"a": 1e999999999}', T.SYNTAX_ERROR),
        ('{"a": ' + "9" * 5000 + "}", T.SYNTAX_ERROR),
        ("[" * 5000 + "]" * 5000, T.SYNTAX_ERROR),
        ('{"a": "\x01"}', T.SYNTAX_ERROR),
    ],
)
def test_what_is_refused(text: str, category: Category) -> None:
    value, finding = syntax.parse(text)
    assert value is None
    assert finding is not None
    assert finding.category is category


def test_decimals_are_exact() -> None:
    value, finding = syntax.parse('{"a": 0.1, "b": 12345678901234567890.123456789, "c": 7}')
    assert finding is None
    assert value == {"a": Decimal("0.1"), "b": Decimal("12345678901234567890.123456789"), "c": 7}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_whatever_json_writes_is_read_back(value: object) -> None:
    assert syntax.parse(json.dumps(value)) == (value, None)


@pytest.mark.parametrize("cut", ['{"0]\\', '{"a\\"', '{"a": ["]\\'])
def test_an_answer_cut_within_an_escape_is_unclosed(cut: str) -> None:
    _, finding = syntax.parse(cut)
    assert finding is not None
    assert finding.category is T.UNCLOSED


@given(st.dictionaries(st.text(min_size=1), JSON, min_size=1, max_size=4), st.data())
def test_a_cut_object_never_parses(value: object, data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    parsed, finding = syntax.parse(cut)
    assert parsed is None
    assert finding is not None
    assert finding.category is T.UNCLOSED

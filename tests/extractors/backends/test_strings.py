"""Strings for patterns: each matches, and the short and the long are among them."""

from __future__ import annotations

import re

import pytest

from extractors.backends.breaking import breaking
from extractors.backends.strings import matching, near
from extractors.backends.values import broken, right

PATTERNS = [
    "^[a-z]{2,5}$",
    r"^-?(0|[1-9][0-9]{0,6})(\.[0-9]{1,2})?$",
    r"^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$",
    "^(open|closed|in part)$",
    "^[^0-9]+$",
    r"^\w+@\w+\.(de|org)$",
    r"^(?:ab)*?c\s\S$",
    "^a.b$",
    "plain",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_strings_are_made_that_match(pattern: str) -> None:
    made = matching(pattern, 12)
    assert made
    assert all(re.search(pattern, text) for text in made)


def test_the_short_the_long_and_each_branch_are_made() -> None:
    assert {len(text) for text in matching("^[a-z]{2,5}$", 99)} == {2, 3, 4, 5}
    assert set(matching("^(open|closed|in part)$", 9)) == {"open", "closed", "in part"}
    assert max(len(text) for text in matching("^[A-Z]+$", 30)) > 30


def test_what_cannot_be_followed_is_no_error() -> None:
    assert matching("^(?=ab)(?=.*q)[a-z]{9}$", 9) == []
    assert matching("(unclosed", 9) == []


@pytest.mark.parametrize("pattern", [pattern for pattern in PATTERNS if pattern.startswith("^")])
def test_near_a_match_stands_something_that_is_none(pattern: str) -> None:
    text = matching(pattern, 5)[0]
    assert any(not re.search(pattern, other) for other in near(text))


def test_right_values_are_right_and_reach_the_edges() -> None:
    number = {"type": "integer", "minimum": -3, "maximum": 40}
    assert {-3, 40, 0} <= set(right(number))
    text = {"type": "string", "minLength": 2, "maxLength": 7}
    assert {len(value) for value in right(text)} >= {2, 7}
    assert all(not broken(text, value) for value in right(text))
    assert {None, "2024-02-29"} <= set(right({"type": ["string", "null"], "format": "date"}))


def test_a_breaking_value_breaks_what_it_is_for() -> None:
    amount = {"type": "number", "exclusiveMaximum": 5}
    assert any(
        broken(amount, value) == {"exclusiveMaximum"} for value in breaking(amount, "exclusiveMaximum", 1)
    )
    day = {"type": "string", "format": "date"}
    assert broken(day, "2023-02-29") == {"format"}

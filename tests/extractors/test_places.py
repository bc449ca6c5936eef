"""Where values stand in an answer's text: also in a cut one, in a broken one, and behind prose."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from extractors.places import place_at, places

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def at(value: Any, pointer: str) -> Any:
    """The value at a pointer of RFC 6901."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=5), st.sampled_from([None, 1]))
def test_each_value_is_found_where_it_stands(value: dict[str, Any], indent: int | None) -> None:
    text = "Here it is: " + json.dumps(value, indent=indent)
    for place in places(text):
        assert json.loads(text[place.start : place.end]) == at(value, place.pointer)


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=5), st.integers(0, 60))
def test_a_cut_answer_ends_with_its_text(value: dict[str, Any], length: int) -> None:
    whole = json.dumps(value)
    text = whole[:length]
    for place in places(text):
        assert place.begun <= place.start <= place.end <= len(text)


def test_the_innermost_value_holds_a_letter_and_its_key_too() -> None:
    text = '{"a":"x","rows":[{"n":1},{"n":22}],"z":nul'
    known = places(text)

    def pointer(part: str) -> str | None:
        place = place_at(known, text.index(part))
        return place.pointer if place else None

    found = [pointer(part) for part in ('{"a', '"a"', "x", '"rows"', "1}", "22", '"z"', "nul")]
    assert found == ["", "/a", "/a", "/rows", "/rows/0/n", "/rows/1/n", "/z", "/z"]


def test_there_is_nothing_where_there_is_no_object() -> None:
    assert places("Sorry, I cannot") == []
    assert place_at([], 3) is None


def test_a_hostile_depth_is_no_crash() -> None:
    assert places("{" + '"a":[' * 1 + "[" * 100_000)[0].pointer == ""

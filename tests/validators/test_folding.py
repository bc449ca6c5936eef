"""Folding keeps an exact map: every folded range cuts what it claims out of the original."""

from __future__ import annotations

import itertools
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validators.grounding.folding import fold, folded

CHARS = st.sampled_from("aB9 \n-ﬁßéİ\u0301\u00ad\u200b\u202b“–’٣Ｆ１日本한\u1100\u1161…½\U0001d400")


@given(st.text() | st.text(CHARS))
def test_each_character_maps_into_the_text_in_order(text: str) -> None:
    result = fold(text)
    spans = [result.span(at, at + 1) for at in range(len(result.text))]
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(a.start <= b.start and a.end <= b.end for a, b in itertools.pairwise(spans))


@given(st.text(CHARS, min_size=1), st.data())
def test_a_range_cuts_out_what_folds_to_it(text: str, data: st.DataObject) -> None:
    result = fold(text)
    if result.text:
        start = data.draw(st.integers(0, len(result.text) - 1))
        end = data.draw(st.integers(start + 1, len(result.text)))
        span = result.span(start, end)
        assert result.text[start:end] in folded(text[span.start : span.end])


@given(st.text(CHARS))
def test_composed_and_decomposed_fold_alike(text: str) -> None:
    text = "x".join(unicodedata.normalize("NFC", char) for char in text)
    assert folded(unicodedata.normalize("NFD", text)) == folded(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ﬁne", "fine"),
        ("Straße", "strasse"),
        ("so\u00adft", "soft"),
        ("ze\u200bro", "zero"),
        ("‘a’ “b” – c", "'a' \"b\" - c"),
        ("٣١", "31"),
        ("１２\u00a0ＡＢ", "12 ab"),
        ("e\u0301", "é"),
        ("\u200f1\u200e", "1"),
    ],
)
def test_what_folds_to_what(text: str, expected: str) -> None:
    assert folded(text) == expected

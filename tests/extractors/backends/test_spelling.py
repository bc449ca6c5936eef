"""Enum members that a tokenizer cuts oddly."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractors.backends.spelling import is_odd, odd_members, pieces
from extractors.backends.vocabulary import Vocabulary

WORDS = ("pos", 'neg"', "neg", "neutr", "al", " pos", " neg", " neutral", "E", "U", "R", " E")
OWN = Vocabulary.of(('{"', "k", '":"', '","', ',"', *WORDS, "<eos>"))


def test_a_whole_token_is_not_odd() -> None:
    assert pieces("pos", OWN) == ["pos"]
    assert not is_odd("pos", OWN)


def test_a_token_that_holds_the_quote_too_is_odd() -> None:
    assert pieces("neg", OWN) == ['neg"']
    assert is_odd("neg", OWN)


def test_a_word_that_is_whole_behind_a_blank_only_is_odd() -> None:
    assert pieces("neutral", OWN) == ["neutr", "al"]
    assert is_odd("neutral", OWN)


def test_single_letters_are_odd() -> None:
    assert pieces("EUR", OWN) == ["E", "U", "R"]
    assert is_odd("EUR", OWN)


def test_each_enum_is_named_with_its_place() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"enum": ["pos", None]},
            "b": {"type": "array", "items": {"enum": ["EUR", "pos"]}},
        },
        "required": ["a", "b"],
    }
    assert list(odd_members(schema, OWN)) == [("/b/*", ["EUR = E|U|R"])]


def test_the_models_own_vocabulary(model_dir: Path) -> None:
    model = Vocabulary.of_model(model_dir)
    text = 'Größe: 5 €, "ja" 😀\n'
    ids = model.spell(text)
    assert b"".join(model.tokens[id_] for id_ in ids).decode() == text
    assert len(ids) < len(text.encode())
    assert model.tokens[model.end] == b""
    assert model.end in model.control
    assert not is_odd("negative", model)
    assert is_odd("CZK", model)


def test_a_text_that_a_vocabulary_cannot_write_is_an_error() -> None:
    with pytest.raises(ValueError, match="no token"):
        OWN.spell("xyz")

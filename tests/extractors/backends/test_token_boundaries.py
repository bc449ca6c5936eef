"""What each backend allows where tokens do not end where the language's parts end: exactly, by hand."""

from __future__ import annotations

import json

import pytest

from extractors.backends.base import Grammar, accepts
from extractors.backends.compiling import BACKENDS, compiler
from extractors.backends.vocabulary import Vocabulary
from schemas.decoding import Backend

TOKENS = (
    *('{"', "label", '": "', "pos", "neg", "neu", '", "', "score", '": ', '"}', "}", "{", '"', " ", ":", ","),
    *("Sure", "Here", " is", "\n", "```", "json", "positive", "negative", 'label"', 'pos"', '": "pos', "10"),
    *("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
)
PATTERN = r'\{"label": "(pos|neg|neu)", "score": [0-9]\}'
PLAIN = ('{"', "label", '": "', "pos", '", "', "score", '": ', "7", "}")
# The opening quote of the value is spelled by a token that begins before it.
MERGED = ('{"', 'label"', ': "pos', '", "', "score", '": ', "7", "}")
OUTSIDE = (
    ('{"', "label", '": "', "positive", '", "', "score", '": ', "7", "}"),
    ('{"', "label", '": "', "pos", '", "', "score", '": ', "10", "}"),
    ('{"', "label", '": "', "pos", '", "', "score", '": ', "7", "7", "}"),
    ('{"', "label", '":', '"', "pos", '", "', "score", '": ', "7", "}"),
    PLAIN[:-1],
    (*PLAIN, "}"),
)

ends = pytest.mark.parametrize("backend", BACKENDS)


def grammar(backend: Backend, *more: str) -> tuple[Grammar, Vocabulary]:
    vocabulary = Vocabulary.of((*TOKENS, *more, "<eos>"))
    return compiler(backend, vocabulary).compile_regex(PATTERN), vocabulary


def ids(vocabulary: Vocabulary, *tokens: str) -> list[int]:
    return [vocabulary.tokens.index(token.encode()) for token in tokens]


def allowed_after(backend: Backend, *tokens: str) -> set[str]:
    made, vocabulary = grammar(backend)
    assert all(made.advance(token) for token in ids(vocabulary, *tokens))
    return {vocabulary.tokens[id_].decode() or "<eos>" for id_ in made.allowed()}


def test_the_vocabulary_has_39_tokens() -> None:
    assert len(TOKENS) + 1 == 39


@ends
def test_two_tokens_may_begin(backend: Backend) -> None:
    assert allowed_after(backend) == {"{", '{"'}


@ends
def test_a_label_may_begin_with_a_token_that_ends_behind_it(backend: Backend) -> None:
    assert allowed_after(backend, '{"', "label", '": "') == {"neg", "neu", "pos", 'pos"'}


@ends
def test_a_digit_may_come_and_not_two_in_one_token(backend: Backend) -> None:
    assert allowed_after(backend, *PLAIN[:7]) == set("0123456789")


@ends
def test_only_the_end_may_follow_the_end(backend: Backend) -> None:
    assert allowed_after(backend, *PLAIN) == {"<eos>"}


@ends
def test_both_spellings_of_one_answer_are_accepted(backend: Backend) -> None:
    made, vocabulary = grammar(backend, ': "pos')
    assert "".join(PLAIN) == "".join(MERGED) == '{"label": "pos", "score": 7}'
    assert accepts(made, ids(vocabulary, *PLAIN))
    assert accepts(made, ids(vocabulary, *MERGED))


@ends
@pytest.mark.parametrize("tokens", OUTSIDE, ids="".join)
def test_what_is_outside_the_language_is_refused(backend: Backend, tokens: tuple[str, ...]) -> None:
    made, vocabulary = grammar(backend, '":')
    assert accepts(made, ids(vocabulary, *PLAIN))
    assert not accepts(made, ids(vocabulary, *tokens))


@ends
@pytest.mark.parametrize("steps", range(len(MERGED) + 1))
def test_the_mask_and_the_walk_agree(backend: Backend, steps: int) -> None:
    made, vocabulary = grammar(backend, ': "pos')
    begun = ids(vocabulary, *MERGED)[:steps]
    assert all(made.advance(token) for token in begun)
    allowed, ended = made.allowed(), made.finished()
    assert allowed - {vocabulary.end} == {
        token for token in range(vocabulary.end) if takes(made, begun, token)
    }
    assert (vocabulary.end in allowed) == ended == (steps == len(MERGED))


def takes(made: Grammar, begun: list[int], token: int) -> bool:
    """Whether the grammar takes the token after this beginning."""
    made.restart()
    assert all(made.advance(one) for one in begun)
    return made.advance(token)


def test_guidance_writes_what_a_schema_leaves_no_choice_in_as_its_tokenizer_would() -> None:
    """So under a schema one token is legal where two would spell the same text; either is still taken."""
    vocabulary = Vocabulary.of((*TOKENS, "<eos>"))
    properties = {"label": {"enum": ["pos"]}}
    schema = {
        "type": "object",
        "properties": properties,
        "required": ["label"],
        "additionalProperties": False,
    }
    made = compiler("guidance", vocabulary).compile_schema(json.dumps(schema))
    assert made.allowed() == set(ids(vocabulary, '{"'))
    for spelling in (('{"', "label", '"'), ("{", '"', 'label"')):
        assert accepts(made, ids(vocabulary, *spelling, ":", '"', 'pos"', "}"))

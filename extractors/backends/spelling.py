"""How a tokenizer spells the members of an enum inside an answer, and where that is odd."""

from __future__ import annotations

import json
from collections.abc import Iterator

from extractors.backends.trials import spots
from extractors.backends.values import Schema
from extractors.backends.vocabulary import Vocabulary

_BEFORE, _AFTER = '{"k":"', '","'


def odd_members(schema: Schema, vocabulary: Vocabulary) -> Iterator[tuple[str, list[str]]]:
    """For each enum its pointer and its oddly spelled members, each shown as `CZK = C|Z|K`."""
    for spot in spots(schema):
        members = [one for one in spot.schema.get("enum", ()) if isinstance(one, str)]
        odd = [f"{one} = {'|'.join(pieces(one, vocabulary))}" for one in members if is_odd(one, vocabulary)]
        if odd:
            yield spot.pointer, odd


def is_odd(member: str, vocabulary: Vocabulary) -> bool:
    """Whether a member is not spelled in the tokens that the model knows its words by.

    So it is where it takes more tokens behind a quote than behind a blank, where it falls into single
    letters, and where a token of it holds a quote as well: the model then decides on a piece of the word.
    """
    inside = pieces(member, vocabulary)
    if "".join(inside) != _escaped(member):
        return True
    in_text = len(vocabulary.spell(f" {member}"))
    return len(inside) > in_text or len(inside) == len(member) > 1


def pieces(member: str, vocabulary: Vocabulary) -> list[str]:
    """The tokens that spell a member in an answer; one that begins or ends beyond its quotes is whole."""
    found, place = list[str](), 0
    first, end = len(_BEFORE.encode()), len((_BEFORE + _escaped(member)).encode())
    for id_ in vocabulary.spell(_BEFORE + _escaped(member) + _AFTER):
        token = vocabulary.tokens[id_]
        if place + len(token) > first and place < end:
            found.append(token.decode(errors="replace"))
        place += len(token)
    return found


def _escaped(member: str) -> str:
    return json.dumps(member, ensure_ascii=False)[1:-1]

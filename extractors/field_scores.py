"""How sure the model was of each field, and what the mask took there: an answer's tokens, field by field."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal

from extractors.engines.tokenizer import Tokenizer
from extractors.places import Place, places
from extractors.scoring import removed_mass
from schemas.records import Attempt, FieldResult, Token

_NUMERAL = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def with_scores(
    fields: Sequence[FieldResult], attempt: Attempt, tokenizer: Tokenizer
) -> tuple[FieldResult, ...]:
    """The fields with mean and lowest log-probability and largest removed mass of their values' tokens.

    A token counts for a value if a letter of it belongs to the value, its quotes included. A field that has
    another value than the attempt, as a vote may elect one, stays as it is.
    """
    ids = [token.id for token in attempt.tokens]
    if not fields or tokenizer.decode(ids) != attempt.text:
        return tuple(fields)
    spans = tokenizer.spans(ids)
    known = {place.pointer: place for place in places(attempt.text)}
    return tuple(_scored(field, attempt, known.get(field.pointer), spans) for field in fields)


def _scored(
    field: FieldResult, attempt: Attempt, place: Place | None, spans: Sequence[tuple[int, int]]
) -> FieldResult:
    if place is None or not _same(field.value, attempt.text[place.start : place.end]):
        return field
    tokens = _tokens(attempt.tokens, spans, place)
    known = [token.logprob for token in tokens if token.logprob is not None]
    masses = [mass for token in tokens if (mass := removed_mass(token)) is not None]
    return replace(
        field,
        logprob=sum(known) / len(known) if known else None,
        min_logprob=min(known, default=None),
        removed_mass=max(masses, default=None),
    )


def _tokens(tokens: Sequence[Token], spans: Sequence[tuple[int, int]], place: Place) -> list[Token]:
    """The tokens that have a letter in common with a place. Both ends of the spans only ever rise."""
    first = bisect_right(spans, place.start, key=lambda span: span[1])
    last = bisect_left(spans, place.end, key=lambda span: span[0])
    return list(tokens[first:last])


def _same(value: str | None, written: str) -> bool:
    """Whether a field's JSON text says the same as the answer's own, where decimals are strings."""
    with suppress(ValueError):
        return bool(_plain(value or "null") == _plain(written))
    return False


def _plain(text: str) -> object:
    """A JSON value to compare: numerals by value, strings without their white space's kind and number."""
    value = json.loads(text, parse_float=Decimal, parse_int=Decimal)
    if not isinstance(value, str):
        return value
    return Decimal(value) if _NUMERAL.fullmatch(value) else " ".join(value.split())

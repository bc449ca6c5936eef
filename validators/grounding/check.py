"""Checking the leaves of an answer against the index: a field result and, where due, findings for each."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any

from schemas.contract import Kind, Leaf
from schemas.records import FieldResult, Finding, Match, Span
from validators.grounding import (
    candidates,
    date_lookup,
    enum_lookup,
    labelled,
    number_lookup,
    report,
    text_lookup,
)
from validators.grounding.index import SourceIndex
from validators.grounding.lookup import Lookup
from validators.grounding.nearest import choose


@dataclass(frozen=True, slots=True)
class Grounding:
    """Where each leaf stands, and what is wrong with it."""

    fields: tuple[FieldResult, ...]
    findings: tuple[Finding, ...]


def check(
    leaves: Sequence[Leaf],
    index: SourceIndex,
    *,
    locale: str | None = None,
    example: Mapping[str, Any] | None = None,
) -> Grounding:
    """Look each leaf up by its kind; choose between several places by the leaf's row. Linear in the text.

    `example` holds the values of the prompt's worked example by pointer: copies of them are named.
    """
    lookups = [
        report.copied(leaf, lookup, example or {})
        for leaf, lookup in zip(leaves, _looked_up(leaves, index, locale), strict=True)
    ]
    spans = _place(leaves, lookups)
    fields: list[FieldResult] = []
    findings: list[Finding] = []
    for leaf, lookup, span in zip(leaves, lookups, spans, strict=True):
        fields.append(FieldResult(leaf.pointer, written(leaf.value), lookup.match, lookup.score, span))
        findings += report.of_leaf(leaf, lookup, span)
    findings += report.of_rows(leaves, spans, index)
    findings += labelled.findings(leaves, lookups, spans, index)
    findings += candidates.findings(leaves, index)
    return Grounding(tuple(fields), tuple(findings))


def _looked_up(leaves: Sequence[Leaf], index: SourceIndex, locale: str | None) -> Iterator[Lookup]:
    """Each leaf's look-up. What is asked alike is looked for once: a long list repeats "0.00" and "4", and a
    number is weighed at each of its places."""
    known: dict[tuple[object, ...], Lookup] = {}
    for leaf in leaves:
        asked = (type(leaf.value), str(leaf.value), leaf.kind, leaf.derived, leaf.evidence)
        under = (leaf.scale, leaf.locale, id(leaf.synonyms))
        if (*asked, *under) not in known:
            known[*asked, *under] = look_up(leaf, index, locale)
        yield known[*asked, *under]


def look_up(leaf: Leaf, index: SourceIndex, locale: str | None = None) -> Lookup:
    """Find one leaf in the source. Null, derived and boolean leaves are not looked for."""
    value = leaf.value.value if isinstance(leaf.value, Enum) else leaf.value
    locale = leaf.locale or locale
    if value is None or value == "":
        return Lookup(Match.NULL)
    if leaf.derived or leaf.kind is Kind.BOOLEAN:
        return Lookup(Match.EXEMPT)
    if leaf.evidence:
        return text_lookup.quote(str(value), index)
    if leaf.kind is Kind.ENUM:
        return enum_lookup.look_up(value, index, leaf.synonyms)
    return _by_kind(value, leaf, index, locale)


def _by_kind(value: Any, leaf: Leaf, index: SourceIndex, locale: str | None) -> Lookup:
    if isinstance(value, date):
        return date_lookup.look_up(value, index, locale)
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return number_lookup.look_up(value, index, leaf.scale, locale)
    if leaf.kind is Kind.IDENTIFIER or text_lookup.TELEPHONE.fullmatch(str(value)):
        return text_lookup.identifier(str(value), index)
    return text_lookup.look_up(str(value), index)


def _place(leaves: Sequence[Leaf], lookups: Sequence[Lookup]) -> list[Span | None]:
    rows: dict[str, list[int]] = defaultdict(list)
    for number, leaf in enumerate(leaves):
        rows[leaf.row].append(number)
    spans: list[Span | None] = [None] * len(leaves)
    for members in rows.values():
        chosen = choose([lookups[number].spans for number in members])
        for number, span in zip(members, chosen, strict=True):
            spans[number] = span
    return spans


def written(value: Any) -> str | None:
    """A leaf's value as JSON text: numbers as numbers with their digits kept. None for null."""
    if value is None:
        return None
    if isinstance(value, bool | int):
        return json.dumps(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    return json.dumps(str(value.value if isinstance(value, Enum) else value), ensure_ascii=False)

"""Findings of the grounding level: what was expected, what was found, by which rule, where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from schemas.contract import Leaf
from schemas.records import Category, Finding, Level, Match, Severity, Span
from validators.grounding.index import SourceIndex
from validators.grounding.lookup import Lookup

FAR_LINES = 12
"""Lines between the fields of one list row that make it doubtful that they belong together."""


def of_leaf(leaf: Leaf, lookup: Lookup, span: Span | None) -> Iterator[Finding]:
    """What there is to say of one leaf: an error if absent or ambiguous, a warning if odd."""
    if lookup.match is Match.ABSENT:
        note = f" ({lookup.note})" if lookup.note else ""
        message = f"{leaf.pointer}: {str(leaf.value)!r} does not stand in the document{note}"
        yield _error(Category.UNGROUNDED, leaf, message, lookup.note, None)
    elif lookup.match is Match.AMBIGUOUS:
        yield _error(Category.AMBIGUOUS, leaf, f"{leaf.pointer}: {lookup.note}", lookup.note, span)
    if lookup.warning:
        yield about(leaf, "reading", f"{leaf.pointer}: {lookup.warning}", span=span)


def about(
    leaf: Leaf,
    rule: str,
    message: str,
    *,
    span: Span | None,
    severity: Severity = Severity.WARNING,
    expected: str | None = None,
    found: str | None = None,
) -> Finding:
    """A finding about one leaf: a warning, and `found` is the leaf's value, unless said otherwise."""
    return Finding(
        level=Level.GROUNDING,
        rule=f"grounding.{rule}",
        severity=severity,
        message=message,
        pointer=leaf.pointer,
        expected=expected,
        found=str(leaf.value) if found is None else found,
        span=span,
    )


def copied(leaf: Leaf, lookup: Lookup, example: Mapping[str, Any]) -> Lookup:
    """Note on an absent value that it is the example's: small models copy examples into their answers."""
    if lookup.match is not Match.ABSENT or leaf.value not in example.values():
        return lookup
    note = "it is the value of the prompt's example, copied"
    return replace(lookup, note=f"{note}; {lookup.note}" if lookup.note else note)


def _error(category: Category, leaf: Leaf, message: str, expected: str | None, span: Span | None) -> Finding:
    wanted = expected or "a value that stands in the document"
    told = about(leaf, category.value, message, span=span, severity=Severity.ERROR, expected=wanted)
    return replace(told, category=category)


def of_rows(leaves: Sequence[Leaf], spans: Sequence[Span | None], index: SourceIndex) -> Iterator[Finding]:
    """A warning for each list row whose fields lie in lines far apart."""
    rows: dict[str, list[Span]] = defaultdict(list)
    for leaf, span in zip(leaves, spans, strict=True):
        if span and any(step.isdecimal() for step in leaf.row.split("/")):
            rows[leaf.row].append(span)
    for row, places in rows.items():
        first, last = min(span.start for span in places), max(span.start for span in places)
        lines = index.text.count("\n", first, last)
        if lines > FAR_LINES:
            message = f"{row}: its fields stand up to {lines} lines apart"
            yield Finding(
                Level.GROUNDING, "grounding.row_spread", Severity.WARNING, message, row,
                expected=f"at most {FAR_LINES} lines", found=f"{lines} lines", span=Span(first, last),
            )  # fmt: skip

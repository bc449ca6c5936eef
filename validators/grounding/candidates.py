"""A null where the source plainly holds candidates: an `info` finding that names them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from schemas.contract import Kind, Leaf
from schemas.records import Finding, Severity, Span
from validators.grounding import enum_lookup
from validators.grounding.index import SourceIndex
from validators.grounding.labelled import in_row, name_of, named
from validators.grounding.report import about

MOST = 4
"""Candidates that are named; more of them are not clear ones."""
_AMOUNT = r"(-?\d[\d.,']*\d|\d)"
_WORD = r"((?=[\w/-]*\d)[\w/-]{3,30})"


def findings(leaves: Sequence[Leaf], index: SourceIndex) -> Iterator[Finding]:
    """For each null outside of list rows with few candidates: dates, labelled numbers, enum spellings."""
    for leaf in leaves:
        if leaf.value is None and not leaf.derived and not in_row(leaf.pointer):
            spans = list(dict.fromkeys(_candidates(leaf, index)))
            if 0 < len(spans) <= MOST:
                yield _info(leaf, spans, index)


def _candidates(leaf: Leaf, index: SourceIndex) -> Iterator[Span]:
    if leaf.kind is Kind.DATE:
        dates = index.dates or index.foreign_dates
        yield from (index.span(m.start, m.end) for found in dates.values() for m in found)
    elif leaf.kind is Kind.ENUM:
        for value in leaf.choices or leaf.synonyms:
            yield from enum_lookup.look_up(value, index, leaf.synonyms).spans
    elif leaf.kind in (Kind.NUMBER, Kind.IDENTIFIER):
        yield from _labelled(leaf, _AMOUNT if leaf.kind is Kind.NUMBER else _WORD, index)


def _labelled(leaf: Leaf, wanted: str, index: SourceIndex) -> Iterator[Span]:
    """Values that stand behind the field's own name: "Invoice number: 17", "Total EUR 62.00"."""
    name = name_of(leaf)
    if name is None:
        return
    behind = rf"\b[^\w\n]{{0,6}}(?:[^\W\d_]{{1,4}}[^\w\n]{{1,3}})?{wanted}(?!\w)"
    for match in named(name, r"\b", behind, index.folded.text):
        yield index.span(*match.span(1))


def _info(leaf: Leaf, spans: Sequence[Span], index: SourceIndex) -> Finding:
    written = ", ".join(index.text[span.start : span.end] for span in spans)
    message = f"{leaf.pointer} is null, and the document holds {written}"
    return about(
        leaf, "null_candidates", message,
        span=spans[0], severity=Severity.INFO, expected=written, found="null",
    )  # fmt: skip

"""A document as the desk shows it: its text cut at every span, its fields, the findings at each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from flows.review.answer import as_text
from flows.review.changes import rows_told
from flows.review.desk import Case
from flows.review.places import Place, places
from schemas.records import FieldResult, Finding, Span

LONGEST = 200_000
"""Code points of a document that the page shows; the rest is named, not sent."""
OCCURRENCES = 30
_BREAKS = re.compile(r"\s*[\r\n]\s*")


@dataclass(frozen=True, slots=True)
class Card:
    """One place: its value as text on one line, how it was found, what is wrong there, and where it stands.

    `spans` holds the place that grounding chose first, then the other places of the same text.
    """

    place: Place
    text: str
    found: str
    findings: tuple[Finding, ...]
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the source from `start` on; `places` are `CARD.OCCURRENCE` of all spans that cover it."""

    text: str
    start: int
    places: tuple[str, ...]


def cards(case: Case) -> list[Card]:
    """A card for each place of a case's answer, in its order."""
    fields = {field.pointer: field for field in case.verdict.fields}
    found: dict[str | None, list[Finding]] = {}
    for finding in case.verdict.findings:
        found.setdefault(finding.pointer, []).append(finding)
    return [
        _card(place, fields.get(place.pointer), tuple(found.get(place.pointer, ())), case.row["text"])
        for place in places(case.schema, case.answer)
    ]


def _card(place: Place, field: FieldResult | None, findings: tuple[Finding, ...], source: str) -> Card:
    spans = _spans(field, findings, source)
    if place.kind == "list":
        rows = "absent" if place.value is None else rows_told(len(place.value))
        return Card(place, "", rows, findings, spans)
    found = str(field.match) if field else "not looked for" if place.kind == "value" else "absent"
    # A box holds one line, and a browser would drop the breaks without a blank: 12 RoadTown.
    return Card(place, _BREAKS.sub(" ", as_text(place.value)), found, findings, spans)


def _spans(field: FieldResult | None, findings: Sequence[Finding], source: str) -> tuple[Span, ...]:
    places = [field.span] if field and field.span else [one.span for one in findings if one.span]
    if not places:
        return ()
    first = places[0]
    return tuple(dict.fromkeys([*places, *_again(source, source[first.start : first.end])]))


def _again(source: str, text: str) -> Iterable[Span]:
    """The first places of a text in the source; a lone character stands everywhere, and says nothing."""
    start = source.find(text) if len(text) > 1 else -1
    for _ in range(OCCURRENCES):
        if start < 0:
            return
        yield Span(start, start + len(text))
        start = source.find(text, start + len(text))


def elsewhere(shown: Sequence[Card], findings: Iterable[Finding]) -> list[Finding]:
    """The findings that are about no leaf that is shown, errors first."""
    known = {card.place.pointer for card in shown}
    order = ["error", "warning", "info"]
    rest = [finding for finding in findings if finding.pointer not in known]
    return sorted(rest, key=lambda finding: order.index(finding.severity))


def pieces(source: str, shown: Sequence[Card], cuts: Iterable[int] = ()) -> list[Piece]:
    """The source, cut wherever a span begins or ends, and at `cuts`; together the pieces are the source."""
    source = source[:LONGEST]
    opening: dict[int, list[str]] = {}
    closing: dict[int, list[str]] = {}
    for number, card in enumerate(shown):
        for place, span in enumerate(card.spans):
            if span.start < min(span.end, len(source)):
                opening.setdefault(span.start, []).append(f"{number}.{place}")
                closing.setdefault(min(span.end, len(source)), []).append(f"{number}.{place}")
    edges = sorted({0, len(source), *opening, *closing, *cuts})
    open_now: dict[str, None] = {}
    found = []
    for start, end in pairwise(edges):
        for name in closing.get(start, ()):
            del open_now[name]
        open_now.update(dict.fromkeys(opening.get(start, ())))
        found.append(Piece(source[start:end], start, tuple(open_now)))
    return found

"""What a look-up gives: how a value was found, and every place where it stands."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.records import Match, Span


@dataclass(frozen=True, slots=True)
class Lookup:
    """One value's outcome. `spans` are all places of the best kind of match; `note` explains what is odd.

    `score` is 1 for exact matches, the share that agrees for fuzzy ones (0..1), None where nothing was found.
    """

    match: Match
    spans: tuple[Span, ...] = ()
    score: float | None = None
    note: str | None = None
    warning: str | None = None


def found(spans: list[Span], text: str, written: str) -> Lookup:
    """An exact match: verbatim where the original text reads just as the value, else normalised."""
    verbatim = tuple(span for span in spans if text[span.start : span.end] == written)
    if verbatim:
        return Lookup(Match.VERBATIM, verbatim, 1.0)
    return Lookup(Match.NORMALISED, tuple(spans), 1.0)


ABSENT = Lookup(Match.ABSENT)

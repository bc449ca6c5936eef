"""The experiments' outcomes in words, for `assay schemas lint`."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from extractors.backends.experiment import Bench, Kind, Outcome, experiment
from extractors.backends.spelling import odd_members
from schemas.json_schema import decoder_schema
from schemas.lint_rules import Hit
from schemas.records import Severity

# No regular grammar of a sane size knows leap years; the validator does.
_LEAP_DAY = '"2023-02-29"'
_SEVERITY = {
    Kind.REFUSED: Severity.ERROR,  # no document could be decoded
    Kind.NOT_ENFORCED: Severity.WARNING,  # the validator checks it again
    Kind.OVER_STRICT: Severity.WARNING,
    Kind.UNTRIED: Severity.INFO,
}


def backend_hits(cls: type[BaseModel], bench: Bench) -> Iterator[Hit]:
    """What the backend does otherwise than the decoder's schema of a class says."""
    for outcome in experiment(decoder_schema(cls), bench):
        severity = Severity.INFO if outcome.shown == _LEAP_DAY else _SEVERITY[outcome.kind]
        yield Hit(outcome.pointer, told(outcome, bench.backend), severity)


def spelling_hits(cls: type[BaseModel], bench: Bench) -> Iterator[Hit]:
    """The enums whose members the model's tokenizer spells oddly. Bytes are no model's spelling."""
    if bench.vocabulary.tokenizer is None:
        return
    for pointer, odd in odd_members(decoder_schema(cls), bench.vocabulary):
        more = f" and {len(odd) - 8} more" if len(odd) > 8 else ""
        yield Hit(pointer, f"The model's tokenizer spells members in odd pieces: {', '.join(odd[:8])}{more}.")


def told(outcome: Outcome, backend: str) -> str:
    """An outcome as a sentence."""
    keywords = " together with ".join(outcome.keywords)
    if outcome.kind is Kind.REFUSED:
        return f"Refused by {backend}: {keywords or 'the schema'} ({outcome.reason[:200]})."
    if outcome.kind is Kind.NOT_ENFORCED:
        return f"Not enforced by {backend}: {keywords}; {outcome.shown} gets through."
    if outcome.kind is Kind.OVER_STRICT:
        return f"Over-strict in {backend}: {outcome.shown} is right and cannot be said."
    if outcome.reason:
        return f"Not tried: {outcome.reason}."
    return f"No value was found that breaks only {keywords}: it was not tried."

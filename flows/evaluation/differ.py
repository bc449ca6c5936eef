"""For each field, the documents on which decodings differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from flows.evaluation.inputs import Input
from flows.evaluation.measures import Scored
from flows.evaluation.result import Disagreement, Found
from validators.correctness import FieldOutcome

_SHOWN = 160


def disagreements(arms: Mapping[str, Sequence[Scored]], inputs: Sequence[Input]) -> Iterator[Disagreement]:
    """Each field and document for which two decodings differ in the value, or in how often it was right.

    A decoding is shown by its first sample, its share of right answers is over all of them.
    """
    if len(arms) < 2:
        return
    by_document = {name: _by_document(outputs) for name, outputs in arms.items()}
    fields = dict.fromkeys(field for outputs in arms.values() for one in outputs for field in one.fields)
    for field in fields:
        for item in inputs:
            given = {name: found[item.document_id] for name, found in by_document.items()}
            samples = [one for each in given.values() for one in each]
            if all(field in one.fields for one in samples) and any(
                each[0].output.fits for each in given.values()
            ):
                yield from _one(field, item, given)


def _by_document(outputs: Sequence[Scored]) -> dict[str, list[Scored]]:
    found: dict[str, list[Scored]] = {}
    for one in outputs:
        found.setdefault(one.output.document_id, []).append(one)
    return found


def _one(field: str, item: Input, given: Mapping[str, Sequence[Scored]]) -> Iterator[Disagreement]:
    found = {name: _found(field, samples) for name, samples in given.items()}
    if len({(one.value, one.outcome, one.right) for one in found.values()}) > 1:
        answered = [samples[0] for samples in given.values() if samples[0].output.fits]
        expected = _text([one.expected for one in answered[0].outcomes if one.field == field])
        yield Disagreement(field, item.label.reference, expected, found)


def _found(field: str, samples: Sequence[Scored]) -> Found:
    places: list[FieldOutcome] = [one for one in samples[0].outcomes if one.field == field]
    shares = [one.share("right", field) or 0.0 for one in samples]
    outcomes = dict.fromkeys(str(one.outcome) for one in places)
    return Found(_text([one.found for one in places]), ", ".join(outcomes), sum(shares) / len(shares))


def _text(values: Sequence[str | None]) -> str | None:
    """The values of a field's places as one short text; None where all are null."""
    known = ["null" if value is None else value for value in values]
    if all(value is None for value in values):
        return None
    text = "; ".join(known)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"

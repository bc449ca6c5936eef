"""From outputs and labels to measures: for each decoding and input, the mean over its samples."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from flows.evaluation.inputs import Input
from flows.evaluation.outputs import Output
from schemas.contract import ExtractionSchema
from validators.correctness import FieldOutcome, Outcome, compare, exactly_right, shares
from validators.statistics import Measure, per_input

ALL = "all inputs"
# The closed list. What is said of whole answers, then what is said of each labelled value.
WHOLE: Mapping[str, Callable[[Scored], bool]]
OUTCOMES = tuple(str(outcome) for outcome in Outcome)
CATEGORY = "category "
WORSE_IF_MORE = ("wrong", "missed", "invented", "unanswered")


@dataclass(frozen=True, order=True)
class Key:
    """What is measured: a rate of the closed list, of a field or whole answers, of all inputs or a part."""

    measure: str
    field: str = ""
    of: str = ALL

    @property
    def name(self) -> str:
        """One text for it, unique."""
        return f"{self.measure}\0{self.field}\0{self.of}"


@dataclass(frozen=True)
class Scored:
    """One output beside its label."""

    output: Output
    outcomes: tuple[FieldOutcome, ...]

    @cached_property
    def exact(self) -> bool:
        """Whether every labelled value is right."""
        return exactly_right(self.outcomes)

    @cached_property
    def fields(self) -> Mapping[str, Mapping[Outcome, float]]:
        """The share of each outcome, by field; a list's places count together as one."""
        return shares(self.outcomes)

    def share(self, outcome: str, field: str = "") -> float | None:
        """The share of an outcome in one field, or over all labelled fields alike; None without a label."""
        if field:
            found = self.fields.get(field)
            return None if found is None else found.get(Outcome(outcome), 0.0)
        each = [found.get(Outcome(outcome), 0.0) for found in self.fields.values()]
        return sum(each) / len(each) if each else None


WHOLE = {
    "finished": lambda one: one.output.finished,
    "parses": lambda one: one.output.parses,
    "fits": lambda one: one.output.fits,
    "consistent": lambda one: one.output.consistent,
    "grounded": lambda one: one.output.grounded,
    "exact": lambda one: one.exact,
}
# Rates of a part of the outputs, shown only beside those of all inputs: (measure, the part).
CONDITIONAL = (
    ("fits", "finished"),
    ("consistent", "fits"),
    ("grounded", "fits"),
    ("exact", "fits"),
    ("right", "fits"),
)


def is_good(measure: str) -> bool:
    """Whether more of it is better."""
    return measure not in WORSE_IF_MORE and not measure.startswith(CATEGORY)


class Scorer:
    """Scores outputs against labels; the same answer to the same document is compared once."""

    def __init__(self, schema: type[ExtractionSchema], inputs: Sequence[Input]) -> None:
        self._schema = schema
        self._labels = {item.document_id: item.label.fields for item in inputs}
        self._known: dict[tuple[str, str | None], tuple[FieldOutcome, ...]] = {}

    def __call__(self, output: Output) -> Scored:
        """The output beside its document's label."""
        text = output.value if output.fits else None
        key = (output.document_id, text)
        if key not in self._known:
            value = None if text is None else json.loads(text)
            self._known[key] = tuple(compare(self._schema, value, self._labels[output.document_id]))
        return Scored(output, self._known[key])


def measures(
    scored: Sequence[Scored], inputs: Sequence[Input], categories: Sequence[str] = ()
) -> dict[Key, Measure]:
    """All measures of one decoding, one number an input, in the order of the inputs.

    `categories` are the failure categories to count: those of every decoding, so that all have the same.
    """
    order = [item.document_id for item in inputs]
    found = {key: _measure(key, scored, order, values) for key, values in _all(scored, categories)}
    for measure, part in CONDITIONAL:
        key = Key(measure, of=part)
        found[key] = _conditional(key, scored, order)
    return found


def _all(scored: Sequence[Scored], categories: Sequence[str]) -> Iterator[tuple[Key, list[float | None]]]:
    for name, holds in WHOLE.items():
        yield Key(name), [float(holds(one)) for one in scored]
    for outcome in OUTCOMES:
        yield Key(outcome), [one.share(outcome) for one in scored]
    for category in categories:
        yield Key(f"{CATEGORY}{category}"), [float(one.output.category == category) for one in scored]
    fields = dict.fromkeys(field for one in scored for field in one.fields)
    for field in fields:
        for outcome in OUTCOMES:
            yield Key(outcome, field), [one.share(outcome, field) for one in scored]


def _measure(key: Key, scored: Sequence[Scored], order: list[str], values: Sequence[float | None]) -> Measure:
    groups = [one.output.document_id for one in scored]
    documents, means = per_input(groups, values)
    place = {document: number for number, document in enumerate(documents)}
    numerator = means[[place[document] for document in order]]
    return Measure(key.name, numerator, higher_is_better=is_good(key.measure))


def _conditional(key: Key, scored: Sequence[Scored], order: list[str]) -> Measure:
    part = [float(WHOLE[key.of](one)) for one in scored]
    both = [inside * (_value(key.measure, one) or 0.0) for inside, one in zip(part, scored, strict=True)]
    better = is_good(key.measure)
    numerator = _measure(key, scored, order, both).numerator
    denominator = _measure(key, scored, order, part).numerator
    return Measure(key.name, numerator, denominator, higher_is_better=better)


def _value(measure: str, one: Scored) -> float | None:
    return float(WHOLE[measure](one)) if measure in WHOLE else one.share(measure)

"""What an evaluation found: one row for each number, with its interval and its difference to the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from flows.evaluation.draw import Drawn
from flows.evaluation.inputs import Inputs
from flows.evaluation.measures import ALL
from validators.statistics import FEW, Difference, Interval


@dataclass(frozen=True, slots=True)
class Row:
    """One number. A rate has an interval of 95 %, a cost has none. `of` says what a rate is a share of."""

    measure: str
    value: float | None
    unit: str = "share"
    field: str = ""
    of: str = ALL
    low: float | None = None
    high: float | None = None
    method: str | None = None
    inputs: int = 0
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    judgement: str | None = None


def with_difference(row: Row, difference: Difference) -> Row:
    """The row with its difference to another decoding's."""
    return replace(
        row,
        difference=_number(difference.difference),
        difference_low=_number(difference.low),
        difference_high=_number(difference.high),
        judgement=str(difference.verdict),
    )


def interval_row(measure: str, interval: Interval, *, field: str = "", of: str = ALL) -> Row:
    """An interval as a row without a difference; NaN, where no input counts, is None."""
    return Row(
        measure,
        _number(interval.rate),
        field=field,
        of=of,
        low=_number(interval.low),
        high=_number(interval.high),
        method=str(interval.method),
        inputs=interval.inputs,
    )


def _number(value: float) -> float | None:
    return None if value != value else float(value)


@dataclass(frozen=True, slots=True)
class Found:
    """What a decoding gave for a field of a document: its first sample's value, how often it was right."""

    value: str | None
    outcome: str
    right: float


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One field of one document for which decodings gave different things."""

    field: str
    document: str
    expected: str | None
    found: Mapping[str, Found]


@dataclass(frozen=True, slots=True)
class Arm:
    """All about one decoding. `categories` are shares of all outputs, `latencies` seconds a document."""

    decoding: str
    rows: tuple[Row, ...]
    categories: Mapping[str, float]
    latencies: tuple[float, ...]

    def row(self, measure: str, field: str = "", of: str = ALL) -> Row | None:
        """The row of a measure, or None where it was not measured."""
        wanted = (measure, field, of)
        return next((row for row in self.rows if (row.measure, row.field, row.of) == wanted), None)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One evaluation, complete: what the terminal, the JSON and the page show."""

    evaluation_id: str
    schema: str
    labels: str
    labels_sha256: str
    created_at: datetime
    baseline: str
    samples: int
    repeats: int
    seed: int
    resamples: int
    inputs: Inputs
    runs: tuple[Drawn, ...]
    arms: tuple[Arm, ...]
    disagreements: tuple[Disagreement, ...]
    price_per_hour: float | None = None
    conventions: Mapping[str, str] = field(default_factory=dict)

    @property
    def fields(self) -> list[str]:
        """The labelled fields, in the order of the labels."""
        return list(dict.fromkeys(row.field for arm in self.arms for row in arm.rows if row.field))

    @property
    def notes(self) -> list[str]:
        """What a reader has to know beside the numbers."""
        return list(_notes(self.inputs, self.conventions))

    def as_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "evaluation_id": self.evaluation_id,
            "schema": self.schema,
            "labels": self.labels,
            "labels_sha256": self.labels_sha256,
            "created_at": self.created_at,
            "baseline": self.baseline,
            "samples": self.samples,
            "repeats": self.repeats,
            "seed": self.seed,
            "resamples": self.resamples,
            "inputs": len(self.inputs.items),
            "labelled_documents": self.inputs.labelled,
            "labels_without_documents": self.inputs.undocumented,
            "documents_without_labels": self.inputs.unlabelled,
            "documents_in_some_runs": self.inputs.partial,
            "unusable_labels": [asdict(problem) for problem in self.inputs.problems],
            "notes": self.notes,
            "runs": [asdict(run) for run in self.runs],
            "decodings": [_arm_as_json(arm) for arm in self.arms],
            "disagreements": [asdict(one) for one in self.disagreements],
        }


def _arm_as_json(arm: Arm) -> dict[str, Any]:
    rows = [asdict(row) for row in arm.rows]
    return {"decoding": arm.decoding, "categories": arm.categories, "measures": rows}


def _notes(inputs: Inputs, conventions: Mapping[str, str]) -> Sequence[str]:
    found = []
    if len(inputs.items) < FEW:
        found.append(f"only {len(inputs.items)} inputs: the intervals are wide and themselves uncertain")
    if len(inputs.items) < inputs.labelled:
        found.append(f"{len(inputs.items)} of {inputs.labelled} labelled documents, drawn by the seed")
    found += _listed("documents have no label", inputs.unlabelled)
    found += _listed("documents are not in every run, and left out", inputs.partial)
    found += _listed("labels have no document", inputs.undocumented)
    problems = [f"line {one.line} ({one.reference}): {one.reason}" for one in inputs.problems]
    found += _listed("labels could not be used", problems)
    found += [_ambiguous(name, how) for name, how in conventions.items()]
    return found


def _ambiguous(name: str, how: str) -> str:
    """How a field's labels are read where two ways are open: the decimal mark, or the order of a date."""
    order = ", ".join({"d": "day", "m": "month", "y": "year"}.get(letter, letter) for letter in how)
    read = f"with {how!r} before the decimals" if how in ".," else f"as {order}"
    return f"{name}: labels that can be read two ways are read {read}; --locale decides otherwise"


def _listed(told: str, names: Sequence[str], most: int = 5) -> list[str]:
    if not names:
        return []
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return [f"{len(names)} {told}: {', '.join(names[:most])}{rest}"]

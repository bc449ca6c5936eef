"""An evaluation as the rows of its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from flows.evaluation.assess import Measured
from flows.evaluation.result import Evaluation
from warehouse.evaluations import LabelRow
from warehouse.evaluations import Measured as MeasuredRows


def measured_rows(
    evaluation: Evaluation, measured: Mapping[str, Measured], labels: Sequence[LabelRow]
) -> MeasuredRows:
    """The rows of an evaluation; `measured` holds each decoding's measures, one number an input."""
    about = {"evaluation_id": evaluation.evaluation_id}
    rates = [
        {**about, "schema": evaluation.schema, "decoding": arm.decoding, **asdict(row)}
        for arm in evaluation.arms
        for row in arm.rows
    ]
    return MeasuredRows(
        order=_order(evaluation),
        runs=[{**about, **asdict(run)} for run in evaluation.runs],
        rates=rates,
        inputs=[{**about, **row} for row in _inputs(evaluation, measured)],
        labels=labels,
    )


def _order(evaluation: Evaluation) -> dict[str, Any]:
    same = ("evaluation_id", "schema", "labels", "labels_sha256", "baseline", "samples", "repeats", "seed")
    inputs = evaluation.inputs
    return {
        **{name: getattr(evaluation, name) for name in same},
        "resamples": evaluation.resamples,
        "inputs": len(inputs.items),
        "unlabelled": list(inputs.unlabelled),
        "undocumented": list(inputs.undocumented),
        "unusable": [f"line {one.line} ({one.reference}): {one.reason}" for one in inputs.problems],
        "price_per_hour": evaluation.price_per_hour,
        "created_at": evaluation.created_at,
    }


def _inputs(evaluation: Evaluation, measured: Mapping[str, Measured]) -> Iterator[dict[str, Any]]:
    """What each input gave under each decoding; a measure that does not apply to an input has no row."""
    for decoding, found in measured.items():
        for key, measure in found.items():
            for place, item in enumerate(evaluation.inputs.items):
                if measure.denominator[place] > 0:
                    yield {
                        "decoding": decoding,
                        "document_id": item.document_id,
                        "cluster": item.label.cluster,
                        "measure": key.measure,
                        "field": key.field,
                        "of": key.of,
                        "value": float(measure.numerator[place]),
                        "weight": float(measure.denominator[place]),
                    }

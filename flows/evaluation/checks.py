"""The checks held against the truth: how often what they flag is wrong, and what they let pass is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flows.evaluation.inputs import Inputs
from flows.evaluation.measures import Scored
from flows.evaluation.result import Row, interval_row
from validators.statistics import Detector, detectors

VALID = "of outputs that fit the schema"


def detector_rows(outputs: Sequence[Scored], inputs: Inputs, seed: int) -> list[Row]:
    """Precision and recall of each level and category as a detector of answers that are not exactly right.

    Only outputs that fit the schema are judged: of the others nobody doubts that they are wrong.
    """
    valid = [one for one in outputs if one.output.fits]
    if not valid:
        return []
    found = detectors(
        [one.output.document_id for one in valid],
        _flags(valid),
        [not one.exact for one in valid],
        clusters={item.document_id: item.label.cluster for item in inputs.items},
        seed=seed,
    )
    return [row for one in found for row in _rows(one)]


def _rows(one: Detector) -> list[Row]:
    """The flagged share as a plain number, then three conditional rates with their intervals."""
    told = f"check {one.category}"
    return [
        Row(f"{told}: flagged", one.flagged / one.outputs, of=VALID, inputs=one.precision.inputs),
        interval_row(f"{told}: wrong among flagged (precision)", one.precision, of=VALID),
        interval_row(f"{told}: flagged among wrong (recall)", one.recall, of=VALID),
        interval_row(f"{told}: right among accepted", one.accepted_right, of=VALID),
    ]


def _flags(valid: Sequence[Scored]) -> Mapping[str, list[bool]]:
    """Which outputs each level, and each category of these levels, flags."""
    categories = sorted({name for one in valid for name in one.output.categories})
    return {
        "any": [not (one.output.consistent and one.output.grounded) for one in valid],
        "consistency": [not one.output.consistent for one in valid],
        "grounding": [not one.output.grounded for one in valid],
        **{name: [name in one.output.categories for one in valid] for name in categories},
    }

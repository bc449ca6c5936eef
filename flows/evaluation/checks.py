"""The checks held against the truth: how often what they flag is wrong, and what they let pass is right."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from flows.evaluation.inputs import Inputs
from flows.evaluation.measures import Scored
from flows.evaluation.result import Row, interval_row
from validators.statistics import Detector, detectors

VALID = "of outputs that fit the schema"
LEVELS = ("consistency", "grounding")


def detector_rows(outputs: Sequence[Scored], inputs: Inputs, seed: int) -> list[Row]:
    """Precision and recall of each level and category as a detector of answers that are not exactly right.

    Then those of the levels' errors at each field as a detector of that field's wrong values. Only outputs
    that fit the schema are judged: of the others nobody doubts that they are wrong.
    """
    valid = [one for one in outputs if one.output.fits]
    if not valid:
        return []
    rows = _rows(valid, _flags(valid), [not one.exact for one in valid], inputs, seed)
    for field in dict.fromkeys(field for one in valid for field in one.fields):
        labelled = [one for one in valid if field in one.fields]
        wrong = [one.share("right", field) != 1.0 for one in labelled]
        rows += _rows(labelled, _flags_of(field, labelled), wrong, inputs, seed, field)
    return rows


def _rows(
    valid: Sequence[Scored],
    flags: Mapping[str, list[bool]],
    wrong: list[bool],
    inputs: Inputs,
    seed: int,
    field: str = "",
) -> list[Row]:
    clusters: dict[Hashable, Hashable] = {item.document_id: item.label.cluster for item in inputs.items}
    groups = [one.output.document_id for one in valid]
    found = detectors(groups, flags, wrong, clusters=clusters, seed=seed)
    return [row for one in found for row in _three(one, field)]


def _three(one: Detector, field: str) -> list[Row]:
    """The flagged share as a plain number, then three conditional rates with their intervals."""
    told, share = f"check {one.category}", one.flagged / one.outputs
    return [
        Row(f"{told}: flagged", share, field=field, of=VALID, inputs=one.precision.inputs),
        interval_row(f"{told}: wrong among flagged (precision)", one.precision, field=field, of=VALID),
        interval_row(f"{told}: flagged among wrong (recall)", one.recall, field=field, of=VALID),
        interval_row(f"{told}: right among accepted", one.accepted_right, field=field, of=VALID),
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


def _flags_of(field: str, valid: Sequence[Scored]) -> Mapping[str, list[bool]]:
    """Which outputs each level flags at one field; levels that flag none are left out."""
    flags = {level: [(level, field) in one.output.flagged for one in valid] for level in LEVELS}
    return {level: flag for level, flag in flags.items() if any(flag)}

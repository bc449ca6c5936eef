"""Repeatability: the same recipe over the same inputs again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from flows.evaluation.asked import RESAMPLES
from flows.evaluation.draw import Drawn
from flows.evaluation.inputs import Inputs
from flows.evaluation.measures import Scored
from flows.evaluation.result import Row, interval_row
from validators.statistics import intervals, repeatability


def repeat_rows(
    scored: Mapping[Drawn, Sequence[Scored]], decoding: str, inputs: Inputs, seed: int
) -> list[Row]:
    """How much of a decoding's first time came out the same in its later ones, where there are any."""
    groups: list[str] = []
    first: list[tuple[str | None, str | None]] = []
    again: list[tuple[str | None, str | None]] = []
    runs = {(run.sample, run.repeat): run for run in scored if run.decoding == decoding}
    for (sample, repeat), run in runs.items():
        before = runs.get((sample, 0))
        if repeat and before is not None:
            given, given_again = _by_document(scored[before]), _by_document(scored[run])
            groups += [item.document_id for item in inputs.items]
            first += [given[item.document_id] for item in inputs.items]
            again += [given_again[item.document_id] for item in inputs.items]
    if not groups:
        return []
    found = intervals(
        repeatability(groups, first, again), clusters=inputs.clusters, resamples=RESAMPLES, seed=seed
    )
    return [interval_row(name, interval) for name, interval in found.items()]


def _by_document(outputs: Sequence[Scored]) -> dict[str, tuple[str | None, str | None]]:
    return {one.output.document_id: (one.output.text, _canonical(one)) for one in outputs}


def _canonical(one: Scored) -> str | None:
    """The answer without the model's reasoning, its keys in order: only the values count."""
    if one.output.value is None or not one.output.fits:
        return None
    value = {name: found for name, found in json.loads(one.output.value).items() if name != "reasoning"}
    return json.dumps(value, sort_keys=True)

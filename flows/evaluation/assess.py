"""From scored outputs to the rows of each decoding: rates and their intervals, differences, costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from flows.evaluation.asked import RESAMPLES
from flows.evaluation.checks import detector_rows
from flows.evaluation.cost import cost_rows
from flows.evaluation.draw import Drawn
from flows.evaluation.inputs import Inputs
from flows.evaluation.measures import Key, Scored, measures
from flows.evaluation.repeats import repeat_rows
from flows.evaluation.result import Arm, Row, interval_row, with_difference
from validators.statistics import Difference, Interval, Measure, compare_paired, intervals

Measured = Mapping[Key, Measure]


def assess(
    scored: Mapping[Drawn, Sequence[Scored]],
    inputs: Inputs,
    baseline: str,
    seed: int,
    engine_s: Mapping[str, float],
    price_per_hour: float | None,
) -> tuple[list[Arm], Mapping[str, Measured]]:
    """Each decoding's rows, and its measures by input. `engine_s` are the busy seconds of each run."""
    first = _first_time(scored)
    counted = Counter(one.output.category for outputs in first.values() for one in outputs)
    kinds = [name for name, _ in counted.most_common() if name]
    measured = {name: measures(outputs, inputs.items, kinds) for name, outputs in first.items()}
    rates = rate_rows(measured, inputs.clusters, baseline, seed)
    arms = []
    for name, outputs in first.items():
        runs = [drawn.run_id for drawn in scored if drawn.decoding == name and drawn.repeat == 0]
        busy = sum(engine_s[run] for run in runs)
        rows = [
            *rates[name],
            *cost_rows(outputs, busy, price_per_hour),
            *repeat_rows(scored, name, inputs, seed),
            *detector_rows(outputs, inputs, seed),
        ]
        arms.append(Arm(name, tuple(rows), _categories(outputs), _latencies(outputs)))
    return arms, measured


def _first_time(scored: Mapping[Drawn, Sequence[Scored]]) -> dict[str, list[Scored]]:
    """All samples of each decoding. Repeats only say how repeatable it is: their rates are not counted in."""
    found: dict[str, list[Scored]] = {}
    for drawn, outputs in scored.items():
        if drawn.repeat == 0:
            found.setdefault(drawn.decoding, []).extend(outputs)
    return found


def rate_rows(
    measured: Mapping[str, Measured], clusters: Sequence[str], baseline: str, seed: int
) -> dict[str, list[Row]]:
    """The rows of all rates. Every decoding is resampled alike, so that differences are paired."""
    shared = [key for key in measured[baseline] if all(key in found for found in measured.values())]
    base = [measured[baseline][key] for key in shared]
    rows = {}
    for name, found in measured.items():
        own = list(found.values())
        bounds = intervals(own, clusters=clusters, resamples=RESAMPLES, seed=seed)
        against: Mapping[str, Difference] = {}
        if name != baseline:
            others = [found[key] for key in shared]
            against = compare_paired(base, others, clusters=clusters, resamples=RESAMPLES, seed=seed)
        rows[name] = [rate_row(key, bounds[key.name], against.get(key.name)) for key in found]
    return rows


def rate_row(key: Key, interval: Interval, difference: Difference | None = None) -> Row:
    """One rate as a row."""
    part = "labelled inputs" if key.field and interval.conditional else key.of
    row = interval_row(key.measure, interval, field=key.field, of=part)
    return row if difference is None else with_difference(row, difference)


def _categories(outputs: Sequence[Scored]) -> dict[str, float]:
    """The share of each failure category over all outputs, the most frequent first."""
    counts = Counter(one.output.category for one in outputs if one.output.category)
    return {name: count / len(outputs) for name, count in counts.most_common()}


def _latencies(outputs: Sequence[Scored]) -> tuple[float, ...]:
    return tuple(one.output.latency_s for one in outputs if one.output.latency_s is not None)

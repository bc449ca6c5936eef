"""Two evaluations on the same documents, compared input by input: another model, engine or schema version."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import nan
from typing import Any

from flows.evaluation.asked import RESAMPLES
from flows.evaluation.measures import Key, is_good
from flows.evaluation.result import Row, interval_row, with_difference
from schemas.errors import UsageError
from validators.statistics import Measure, compare_paired, intervals
from warehouse import measuring
from warehouse.store import Warehouse


@dataclass(frozen=True, slots=True)
class Pair:
    """One decoding in both evaluations. The second row of each pair has the difference to the first.

    Costs are of all inputs of each evaluation, and have no interval.
    """

    first: str
    second: str
    changed: tuple[str, ...]
    rows: tuple[tuple[Row, Row], ...]
    costs: tuple[tuple[Row, Row], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two evaluations over the documents that both measured; `only_one` are those of one alone."""

    first: str
    second: str
    inputs: int
    only_one: tuple[str, ...]
    same_labels: bool
    pairs: tuple[Pair, ...]

    def as_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self)


Values = Mapping[str, Mapping[Key, Mapping[str, tuple[float, float]]]]


@dataclass(frozen=True, slots=True)
class _Side:
    """What the warehouse has of one evaluation, by decoding."""

    evaluation_id: str
    labels_sha256: str
    values: Values
    clusters: Mapping[str, str]
    recipes: Mapping[str, Mapping[str, Any]]
    costs: Mapping[str, Mapping[str, Row]]


def comparison(warehouse: Warehouse, first: str, second: str, seed: int = 0) -> Comparison:
    """Compare two evaluations, named by the beginnings of their ids, on the documents that they share.

    Raises UsageError where one is unknown, or where they share no document or no decoding.
    """
    before, after = _side(warehouse, first), _side(warehouse, second)
    shared = sorted(before.clusters.keys() & after.clusters.keys())
    if not shared:
        raise UsageError(f"{before.evaluation_id} and {after.evaluation_id} share no document")
    pairs = [
        _pair(before, after, one, two, shared, seed)
        for one, two in _paired(list(before.values), list(after.values))
    ]
    return Comparison(
        before.evaluation_id,
        after.evaluation_id,
        len(shared),
        tuple(sorted(before.clusters.keys() ^ after.clusters.keys())),
        before.labels_sha256 == after.labels_sha256,
        tuple(pairs),
    )


def _side(warehouse: Warehouse, given: str) -> _Side:
    named = warehouse.resolve_evaluation(given)
    (order,) = warehouse.answer(measuring.order(named))
    inputs = warehouse.answer(measuring.inputs(named))
    costs: dict[str, dict[str, Row]] = {}
    for row in warehouse.answer(measuring.costs(named)):
        costs.setdefault(row["decoding"], {})[row["measure"]] = Row(row["measure"], row["value"], row["unit"])
    recipes = {row.pop("decoding"): row for row in warehouse.answer(measuring.recipes(named))}
    clusters = {row["document_id"]: row["cluster"] for row in inputs}
    return _Side(named, order["labels_sha256"], _values(inputs), clusters, recipes, costs)


def _pair(before: _Side, after: _Side, one: str, two: str, shared: Sequence[str], seed: int) -> Pair:
    old, new = before.costs.get(one, {}), after.costs.get(two, {})
    return Pair(
        one,
        two,
        _changed(before.recipes[one], after.recipes[two]),
        tuple(_rows((before.values, after.values), one, two, shared, before.clusters, seed)),
        tuple((old[name], new[name]) for name in old if name in new),
    )


def _values(rows: Sequence[Mapping[str, Any]]) -> Values:
    found: dict[str, dict[Key, dict[str, tuple[float, float]]]] = {}
    for row in rows:
        key = Key(row["measure"], row["field"], row["of"])
        of_key = found.setdefault(row["decoding"], {}).setdefault(key, {})
        of_key[row["document_id"]] = (row["value"], row["weight"])
    return found


def _paired(first: Sequence[str], second: Sequence[str]) -> list[tuple[str, str]]:
    """Decodings of the same name; where none is, and each has one alone, these two."""
    same = [(name, name) for name in first if name in second]
    if same:
        return same
    if len(first) == len(second) == 1:
        return [(first[0], second[0])]
    raise UsageError(f"no decoding is in both: {', '.join(first)} against {', '.join(second)}")


def _changed(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[str, ...]:
    """What differs between two recipes, in words."""
    return tuple(
        f"{name}: {one} → {two}"
        for (name, one), (_, two) in zip(_parts(first), _parts(second), strict=False)
        if one != two
    )


def _parts(recipe: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name in ("schema", "schema_fingerprint", "prompt_fingerprint"):
        yield name.replace("_", " "), str(recipe[name])[:12]
    for part in ("model", "versions"):
        yield from (
            (f"{part} {name}", str(value)[:24]) for name, value in sorted(json.loads(recipe[part]).items())
        )


def _rows(
    values: Sequence[Values],
    one: str,
    two: str,
    shared: Sequence[str],
    clusters: Mapping[str, str],
    seed: int,
) -> Iterator[tuple[Row, Row]]:
    keys = [key for key in values[0][one] if key in values[1][two]]
    first = [_measure(key, values[0][one][key], shared) for key in keys]
    second = [_measure(key, values[1][two][key], shared) for key in keys]
    named = [clusters[document] for document in shared]
    before = intervals(first, clusters=named, resamples=RESAMPLES, seed=seed)
    after = intervals(second, clusters=named, resamples=RESAMPLES, seed=seed)
    differences = compare_paired(first, second, clusters=named, resamples=RESAMPLES, seed=seed)
    for key in keys:
        rows = [
            interval_row(key.measure, found[key.name], field=key.field, of=key.of)
            for found in (before, after)
        ]
        yield rows[0], with_difference(rows[1], differences[key.name])


def _measure(key: Key, found: Mapping[str, tuple[float, float]], shared: Sequence[str]) -> Measure:
    """One measure over the shared documents; one that it does not apply to is NaN."""
    numbers = [found.get(document, (nan, nan)) for document in shared]
    better = is_good(key.measure)
    return Measure(
        key.name, [one for one, _ in numbers], [two for _, two in numbers], higher_is_better=better
    )

"""Two evaluations on the same documents, compared input by input: another model, engine or schema version."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import nan
from typing import Any

from flows.evaluation.asked import RESAMPLES
from flows.evaluation.measures import WORSE_IF_MORE, Key
from flows.evaluation.result import Row, interval_row, with_difference
from flows.evaluation.tables import PARTS, cell, word
from flows.evaluation.terminal import grid
from schemas.errors import UsageError
from validators.statistics import FEW, Measure, compare_paired, intervals
from warehouse.store import Warehouse

_INPUTS = "FROM evaluation_inputs WHERE evaluation_id = $evaluation"
_RECIPES = """
SELECT first.decoding, model::VARCHAR AS model, versions::VARCHAR AS versions, prompt_fingerprint,
    schema_fingerprint, recipes.schema
FROM (SELECT decoding, min(run_id) AS run_id FROM evaluation_runs WHERE evaluation_id = $evaluation
    GROUP BY decoding) AS first JOIN runs USING (run_id) JOIN recipes USING (recipe_id)
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """One decoding in both evaluations. The second row of each pair has the difference to the first."""

    first: str
    second: str
    changed: tuple[str, ...]
    rows: tuple[tuple[Row, Row], ...]


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


def comparison(warehouse: Warehouse, first: str, second: str, seed: int = 0) -> Comparison:
    """Compare two evaluations, named by the beginnings of their ids, on the documents that they share.

    Raises UsageError where one is unknown, or where they share no document or no decoding.
    """
    names = [warehouse.resolve_evaluation(given) for given in (first, second)]
    orders = [_order(warehouse, name) for name in names]
    rows = [warehouse.query(_INPUTS, {"evaluation": name}).to_pylist() for name in names]
    clusters = {row["document_id"]: row["cluster"] for found in rows for row in found}
    documents = [{row["document_id"] for row in found} for found in rows]
    shared = sorted(documents[0] & documents[1])
    if not shared:
        raise UsageError(f"{names[0]} and {names[1]} share no document")
    values, recipes = [_values(found) for found in rows], [_recipes(warehouse, name) for name in names]
    pairs = [
        Pair(
            one,
            two,
            _changed(recipes[0][one], recipes[1][two]),
            tuple(_rows(values, one, two, shared, clusters, seed)),
        )
        for one, two in _paired(list(values[0]), list(values[1]))
    ]
    return Comparison(
        names[0],
        names[1],
        len(shared),
        tuple(sorted(documents[0] ^ documents[1])),
        orders[0]["labels_sha256"] == orders[1]["labels_sha256"],
        tuple(pairs),
    )


def _order(warehouse: Warehouse, evaluation: str) -> dict[str, Any]:
    sql = "FROM evaluation_orders WHERE evaluation_id = $evaluation"
    found: dict[str, Any] = warehouse.query(sql, {"evaluation": evaluation}).to_pylist()[0]
    return found


def _values(rows: Sequence[Mapping[str, Any]]) -> Values:
    found: dict[str, dict[Key, dict[str, tuple[float, float]]]] = {}
    for row in rows:
        key = Key(row["measure"], row["field"], row["of"])
        of_key = found.setdefault(row["decoding"], {}).setdefault(key, {})
        of_key[row["document_id"]] = (row["value"], row["weight"])
    return found


def _recipes(warehouse: Warehouse, evaluation: str) -> dict[str, dict[str, Any]]:
    return {
        row.pop("decoding"): row for row in warehouse.query(_RECIPES, {"evaluation": evaluation}).to_pylist()
    }


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
    better = key.measure not in WORSE_IF_MORE
    return Measure(
        key.name, [one for one, _ in numbers], [two for _, two in numbers], higher_is_better=better
    )


def comparison_lines(found: Comparison) -> Iterator[str]:
    """The comparison as lines of text."""
    yield f"{found.second} against {found.first}, {found.inputs} shared inputs, 95 % intervals, paired"
    if found.inputs < FEW:
        yield f"only {found.inputs} inputs: the intervals are wide and themselves uncertain"
    if found.only_one:
        named = ", ".join(found.only_one[:3])
        yield f"{len(found.only_one)} documents are in one of them only, and left out: {named}"
    if not found.same_labels:
        yield "their labels differ"
    for pair in found.pairs:
        yield from ("", pair.first if pair.first == pair.second else f"{pair.second} against {pair.first}")
        yield from (f"  {one}" for one in pair.changed)
        heads = [_name(first) for first, _ in pair.rows]
        cells = [[cell(first), cell(second), _difference(second)] for first, second in pair.rows]
        yield from grid(heads, ["first", "second", "difference"], cells)


def _name(row: Row) -> str:
    told = f"{row.field} {row.measure}" if row.field else word(row.measure)
    return f"  {told}, {PARTS[row.of]}" if row.of in PARTS else told


def _difference(row: Row) -> str:
    if row.difference is None or row.difference_low is None or row.difference_high is None:
        return "·"
    return f"{row.difference:+.3f} [{row.difference_low:+.3f}, {row.difference_high:+.3f}] {row.judgement}"

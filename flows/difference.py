"""Two runs compared: what changed, and, where there are labels, whether for the better."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flows.settings import Settings
from schemas.errors import UsageError
from warehouse.differences import answers, schemas, summary
from warehouse.store import Warehouse

if TYPE_CHECKING:
    from schemas.registry import SchemaVersion
    from validators.statistics import Difference


@dataclass(frozen=True, slots=True)
class Judged:
    """The labelled documents that both runs have: the shares exactly right, and their paired difference."""

    documents: int
    old: float
    new: float
    fixed: int
    broken: int
    difference: Difference


@dataclass(frozen=True, slots=True)
class Comparison:
    """How many documents changed in which way; `judged` is None where no label says which is right."""

    changes: Mapping[str, int]
    judged: Judged | None


def compare_runs(warehouse: Warehouse, settings: Settings, a: str, b: str) -> Comparison:
    """What became of the documents of run `a` in run `b`.

    Raises UsageError for runs of two schemas: of versions of one alone the fields can be compared.
    """
    refs = sorted(row["schema"] for row in warehouse.answer(schemas(a, b)))
    if len({ref.partition("@")[0] for ref in refs}) > 1:
        raise UsageError(f"the runs are of {' and '.join(refs)}: choose two of one schema, see `assay runs`")
    changes = {row["change"]: row["documents"] for row in warehouse.answer(summary(a, b))}
    if len(refs) != 1 or not warehouse.labels(refs[0]):
        return Comparison(changes, None)
    return Comparison(changes, _judged(warehouse, settings, refs[0], a, b))


def _judged(warehouse: Warehouse, settings: Settings, ref: str, a: str, b: str) -> Judged | None:
    from flows.evaluation.asked import Asked
    from flows.evaluation.known import known_labels
    from schemas.registry import load

    schema = load(settings.schemas).resolve(ref)
    try:
        labels = known_labels(Asked(None, ref, runs=(a, b)), schema, warehouse)
    except UsageError:  # none that can be used
        return None
    known = {label.document_id: label.fields for label in labels.rows}
    rows = [row for row in warehouse.answer(answers(a, b)) if known.get(row["document_id"])]
    old, new = (
        [_is_right(schema, row[side], known[row["document_id"]]) for row in rows] for side in ("old", "new")
    )
    return _paired(old, new) if rows else None


def _is_right(schema: SchemaVersion, value: str | None, label: Mapping[str, Any]) -> bool:
    from validators.correctness import compare, exactly_right

    return exactly_right(compare(schema.cls, None if value is None else json.loads(value), label))


def _paired(old: list[bool], new: list[bool]) -> Judged:
    from validators.statistics import Measure, compare_paired

    (found,) = compare_paired([Measure("right", old)], [Measure("right", new)]).values()
    pairs = list(zip(old, new, strict=True))
    fixed, broken = pairs.count((False, True)), pairs.count((True, False))
    return Judged(len(pairs), sum(old) / len(pairs), sum(new) / len(pairs), fixed, broken, found)

"""Runs that exist, taken as an evaluation's: which decoding each is of, which draw, which time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flows.evaluation.draw import Drawn
from schemas.errors import UsageError
from warehouse.measuring import runs_called, shared
from warehouse.store import Warehouse


@dataclass(frozen=True, slots=True)
class Existing:
    """Runs of one schema version, and the documents that all of them have an outcome for.

    `partial` are the URIs of those that some run did not have.
    """

    schema: str
    runs: tuple[Drawn, ...]
    documents: tuple[tuple[str, str], ...]
    partial: tuple[str, ...]


def existing(warehouse: Warehouse, given: Sequence[str]) -> Existing:
    """The runs that these beginnings of run_ids name.

    Raises UsageError where one is unknown or still running, or where they are of several schema versions.
    """
    rows = list({row["run_id"]: row for one in given for row in [_row(warehouse, one)]}.values())
    schemas = sorted({row["schema"] for row in rows})
    if len(schemas) > 1:
        raise UsageError(
            f"--from: the runs are of {' and '.join(schemas)}; evaluate each, then --compare them"
        )
    runs = tuple(_placed(rows))
    found = warehouse.answer(shared(run.run_id for run in runs))
    whole = [row for row in found if row["runs"] == len(runs)]
    partial = [row["uri"] for row in found if row["runs"] < len(runs)]
    documents = tuple((row["document_id"], row["uri"]) for row in whole)
    return Existing(schemas[0], runs, documents, tuple(partial))


def _row(warehouse: Warehouse, given: str) -> dict[str, str]:
    rows: list[dict[str, str]] = warehouse.answer(runs_called(given))
    if len(rows) != 1:
        told = "no run starts" if not rows else "more than one run starts"
        raise UsageError(f"--from: {told} with {given!r}: see `assay runs`")
    if rows[0]["status"] == "running":
        raise UsageError(f"--from: run {rows[0]['run_id']} is still running")
    return rows[0]


def _placed(rows: Sequence[dict[str, str]]) -> Iterator[Drawn]:
    """Runs that differ in the seed only are samples of one decoding, runs of one recipe the same again."""
    names = _names(rows)
    samples: dict[str, dict[str, int]] = {}
    times: dict[str, int] = {}
    for row in sorted(rows, key=lambda one: one["run_id"]):
        name, recipe = names[_without_seed(row)], row["recipe_id"]
        of_name = samples.setdefault(name, {})
        sample = of_name.setdefault(recipe, len(of_name))
        yield Drawn(name, sample, times.get(recipe, 0), row["run_id"])
        times[recipe] = times.get(recipe, 0) + 1


def _names(rows: Sequence[dict[str, str]]) -> dict[str, str]:
    """A name for each kind of run: its decoding's, with the recipe behind it where another has it too."""
    kinds = {_without_seed(row): row for row in rows}
    called = {kind: str(json.loads(row["decoding"])["name"]) for kind, row in kinds.items()}
    twice = {name for name in called.values() if list(called.values()).count(name) > 1}
    return {
        kind: f"{name} {kinds[kind]['recipe_id'][:6]}" if name in twice else name
        for kind, name in called.items()
    }


def _without_seed(row: dict[str, str]) -> str:
    """All of a run's recipe but the seed and the decoding's name, as one text."""
    decoding = {
        key: value for key, value in json.loads(row["decoding"]).items() if key not in ("seed", "name")
    }
    same = ("schema_fingerprint", "prompt_fingerprint", "model", "versions")
    return json.dumps([decoding, *(row[name] for name in same)], sort_keys=True)

"""All that a run's report shows, in one opening of the warehouse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flows.doctor import advice
from schemas.errors import UsageError
from warehouse import night
from warehouse.asked import Asked
from warehouse.asking import Questions
from warehouse.listings import symptoms
from warehouse.metrics import Metrics
from warehouse.store import Warehouse

# Documents that are told, of each category at first.
WORST, OF_EACH = 30, 5


@dataclass(frozen=True, slots=True)
class Night:
    """One run as its report tells it. `symptoms` are the whole warehouse's, None where that took too long."""

    run: Mapping[str, Any]
    recipe: Mapping[str, Any] | None
    metrics: Metrics
    cost: Mapping[str, Any] | None
    gate: list[dict[str, Any]]
    symptoms: list[list[str]] | None
    worst: list[dict[str, Any]]

    @property
    def bad(self) -> int:
        """Documents that were not accepted."""
        values = self.metrics.values
        return round((1 - values.get("accepted_share", 1.0)) * values.get("documents_out", 0.0))


def gather(warehouse: Warehouse, run_id: str, symptoms_s: float | None = None) -> Night:
    """A run that has ended. The symptoms may take `symptoms_s` seconds; None waits for them.

    Raises UsageError for a run that has not ended.
    """
    _refuse_unended(warehouse, run_id)
    metrics = warehouse.figures(run_id)
    with warehouse.asking() as ask:
        (run,) = night.run(run_id).rows(ask)
        return Night(
            run,
            _one(ask, night.recipe(run["recipe_id"])),
            metrics,
            _one(ask, night.cost(run_id)),
            night.gate(run_id).rows(ask),
            _symptoms(ask, symptoms_s),
            night.worst(run_id, OF_EACH, WORST).rows(ask),
        )


def _refuse_unended(warehouse: Warehouse, run_id: str) -> None:
    with warehouse.asking() as ask:
        found = _one(ask, night.run(run_id))
    if found is None or found["status"] == "running":
        raise UsageError(f"run {run_id} has not ended, and has no report yet: see `assay runs`")


def _one(ask: Questions, asked: Asked) -> dict[str, Any] | None:
    return next(iter(asked.rows(ask)), None)


def _symptoms(ask: Questions, limit_s: float | None) -> list[list[str]] | None:
    asked = symptoms()
    found = asked.rows(ask) if limit_s is None else ask.within(limit_s, asked.sql)
    return None if found is None else [advice(row) for row in found]

"""The gate behind each run: measured, checked, reported, and kept out of what is current where it failed."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from flows.output import note, safe
from flows.settings import Settings
from schemas.errors import WarehouseLocked
from warehouse.expectations import Expectation, default_expectations, with_mix
from warehouse.ledger import notes
from warehouse.shards import waiting
from warehouse.store import Warehouse
from warehouse.suites import load_suite

if TYPE_CHECKING:
    from warehouse.metrics import Metrics
    from warehouse.quality import Result

_REF = re.compile(r"(?P<name>[a-z0-9_]+)@(?P<version>[0-9]+)")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the gate made of a run. `page` is where it can be read."""

    run_id: str
    passed: bool
    results: tuple[Result, ...]
    page: Path

    @property
    def told(self) -> str | None:
        """What failed, in words; None where nothing did."""
        failed = [result.message for result in self.results if result.fatal]
        missed = [result.message for result in self.results if not result.success and not result.fatal]
        parts = [("the gate failed", failed), ("to be known", missed)]
        return "; ".join(f"{what}: {' '.join(messages)}" for what, messages in parts if messages) or None


def own_suite(settings: Settings, schema: str) -> tuple[Expectation, ...]:
    """The user's expectations for a schema version, from the folder of schemas. Raises UsageError."""
    parts = _REF.fullmatch(schema)
    if settings.schemas is None or parts is None:
        return ()
    return load_suite(settings.schemas / parts["name"] / f"v{parts['version']}.expectations.json")


def load_library() -> None:
    """Load Great Expectations, which takes about ten seconds: in a thread, while the engine works."""
    os.environ["GX_ANALYTICS_ENABLED"] = "false"  # it reads this at its import
    import_module("warehouse.datadocs")


def gated(warehouse: Warehouse, settings: Settings, run_id: str) -> Judgement | None:
    """Judge a run that has just ended; None where that is off, or there is nothing to judge.

    A reader who holds the database delays landing and the gate, and fails no run: the next run,
    `assay land` and `assay gate` take it up.
    """
    if waiting(warehouse.staging) or notes(warehouse.staging):  # what is not landed cannot be counted
        return None
    try:
        metrics = warehouse.measure(run_id)
        if settings.gate == "off" or not _is_due(metrics):
            return None
        judgement = judge(warehouse, settings, metrics)
        catch_up(warehouse, settings)
    except WarehouseLocked:
        return None
    return judgement


def catch_up(warehouse: Warehouse, settings: Settings) -> list[Judgement]:
    """Judge the ended runs that a reader had kept from the gate, and tell which of them fail."""
    if settings.gate == "off":
        return []
    late = [judge(warehouse, settings, warehouse.measure(run_id)) for run_id in warehouse.unchecked()]
    for one in late:
        if not one.passed:
            note(f"assay: run {one.run_id} is kept out of what is current: {safe(str(one.told))}")
    return late


def judge(warehouse: Warehouse, settings: Settings, metrics: Metrics) -> Judgement:
    """Check a run's metrics, write its page, record the results, and quarantine it where it failed."""
    load_library()
    from warehouse.datadocs import write_page
    from warehouse.quality import check

    expectations = [*default_expectations(metrics), *own_suite(settings, metrics.schema)]
    report = check(metrics, with_mix(metrics), expectations)
    page = write_page(settings.reports / "quality", metrics, report)
    warehouse.record_quality(metrics.run_id, report)
    return Judgement(metrics.run_id, report.passed, report.results, page)


def _is_due(metrics: Metrics) -> bool:
    """Whether a run is one to judge: not an evaluation, not one that was broken off, and not empty."""
    ended = metrics.status in ("finished", "failed")
    return ended and metrics.kind != "evaluate" and metrics.values["documents_in"] > 0

"""A run's report: one HTML file that shows how the night went."""

from __future__ import annotations

from pathlib import Path

from flows.output import note, safe
from flows.settings import Settings
from schemas.errors import AssayError
from warehouse.shards import waiting
from warehouse.store import Warehouse

SYMPTOMS_S = 0.7
"""Seconds that a run's end gives to the symptoms of the whole warehouse; `assay report` waits for them."""


def written(warehouse: Warehouse, settings: Settings, run_id: str, kind: str) -> Path | None:
    """Write the report of a run that has just ended; None where it cannot be, which fails no run.

    An evaluation has its own page. What waits for landing cannot be told yet: `assay report` does it later.
    """
    from flows.report.gather import gather
    from flows.report.page import write_page

    if kind == "evaluate" or waiting(warehouse.staging):
        return None
    try:
        return write_page(gather(warehouse.briefly(), run_id, SYMPTOMS_S), settings.reports)
    except AssayError as error:
        note(f"assay: no report of this run yet: {safe(str(error))} `assay report {run_id}` writes it.")
        return None

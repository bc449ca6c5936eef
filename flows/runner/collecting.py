"""Shards that workers left in a bucket or folder for a run whose process is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warehouse.listings import known
from warehouse.store import Warehouse

if TYPE_CHECKING:
    from flows.settings import Settings
    from warehouse.depot import Depot


def collect(settings: Settings) -> None:
    """Bring such shards into the home's own staging. Those of runs of other homes are left where they are.

    Raises WarehouseError where that place cannot be used.
    """
    if settings.staging is None:
        return
    from warehouse.depot import Depot

    depot, warehouse = Depot(settings.staging), Warehouse(settings.home)
    depot.collect(ours(depot, warehouse), warehouse.staging, warehouse.archive)


def ours(depot: Depot, warehouse: Warehouse) -> list[str]:
    """The runs of this home that left something there."""
    found = depot.runs()
    return [row["run_id"] for row in warehouse.answer(known(found))] if found else []

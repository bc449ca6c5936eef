"""The flow `land`: what waits in staging is landed, whatever kept it there."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from prefect import flow, runtime

from flows.artifacts import landed
from flows.deployments.carried import attempt, settings_here
from flows.events import emit
from flows.gate import catch_up
from flows.runner.collecting import collect
from schemas.errors import WarehouseError
from warehouse.store import Warehouse


def _name() -> str:
    return f"{runtime.flow_run.flow_name} {datetime.now(UTC).astimezone():%Y-%m-%d}"


@flow(name="land", flow_run_name=_name, persist_result=False)
def land() -> int | Any:
    """Land what waits in staging, close the records of runs that died, and judge what waits for the gate.

    Gives the number of shards. It fails with WarehouseError where a shard was damaged: its documents are done
    again by the next run. A run that fails its gate is told by an event.
    """
    return attempt(_land)


def _land() -> int:
    settings = settings_here()
    collect(settings)
    warehouse = Warehouse(settings.home)
    found = warehouse.land()
    for run_id in warehouse.reap():
        emit("crashed", run_id, {"message": "it had ended without a word"})
    for one in catch_up(warehouse, settings):
        if not one.passed:
            emit("quarantined", one.run_id, {"message": one.told or ""})
    landed(found)
    if found.damaged:
        raise WarehouseError(f"damaged shards in {settings.home}/staging: {', '.join(found.damaged)}")
    return found.shards

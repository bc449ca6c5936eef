"""A mark where a run's shards are to be left, by which a worker knows that it sees that very place.

A folder of the same name on a machine that does not share it would take shards that nobody ever lands.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flows.runner.collecting import ours
from flows.settings import Settings
from warehouse.depot import Depot
from warehouse.files import write_whole
from warehouse.store import Warehouse

_PREFIX = ".seen-"


@contextmanager
def marked(warehouse: Warehouse, settings: Settings, run_id: str) -> Iterator[None]:
    """Keeps a run's mark while its workers are at work, and removes those of runs that were killed."""
    with _in_home(warehouse, run_id) if settings.staging is None else _in_depot(warehouse, settings, run_id):
        yield


def is_shared(settings: Settings, run_id: str) -> bool:
    """Whether a run's mark is seen here. Raises WarehouseError where that place cannot be used."""
    if settings.staging is None:
        return _mark(settings.home, run_id).is_file()
    return Depot(settings.staging).is_marked(run_id)


@contextmanager
def _in_home(warehouse: Warehouse, run_id: str) -> Iterator[None]:
    for left in warehouse.staging.glob(f"{_PREFIX}*"):
        left.unlink(missing_ok=True)
    mark = _mark(warehouse.home, run_id)
    write_whole(mark, b"")
    try:
        yield
    finally:
        mark.unlink(missing_ok=True)


@contextmanager
def _in_depot(warehouse: Warehouse, settings: Settings, run_id: str) -> Iterator[None]:
    depot = Depot(str(settings.staging))
    for left in ours(depot, warehouse):
        depot.unmark(left)
    depot.mark(run_id)
    try:
        yield
    finally:
        depot.unmark(run_id)


def _mark(home: Path, run_id: str) -> Path:
    return Warehouse(home).staging / f"{_PREFIX}{run_id}"

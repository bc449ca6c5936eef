"""A mark in the run's staging folder, by which a worker knows that it sees the same folder as the lander."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warehouse.files import write_whole
from warehouse.store import Warehouse

_PREFIX = ".seen-"


@contextmanager
def marked(warehouse: Warehouse, run_id: str) -> Iterator[None]:
    """Keeps a run's mark while its workers are at work, and removes those of runs that were killed."""
    for left in warehouse.staging.glob(f"{_PREFIX}*"):
        left.unlink(missing_ok=True)
    mark = _mark(warehouse.home, run_id)
    write_whole(mark, b"")
    try:
        yield
    finally:
        mark.unlink(missing_ok=True)


def is_shared(home: Path, run_id: str) -> bool:
    """Whether a run's mark is seen in `home`."""
    return _mark(home, run_id).is_file()


def _mark(home: Path, run_id: str) -> Path:
    return Warehouse(home).staging / f"{_PREFIX}{run_id}"

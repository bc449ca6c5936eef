"""The one lander: brings over what workers staged, counts it, and lands it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from flows.progress import Display
from flows.runner.shard import STOPPED
from flows.settings import Settings
from schemas.errors import WarehouseError, WarehouseLocked
from schemas.records import Outcome
from warehouse.depot import Depot
from warehouse.shards import waiting
from warehouse.store import Warehouse


class Lander:
    """Lands one run's shards. Each shard is counted once, however often workers staged it or said so."""

    def __init__(self, warehouse: Warehouse, run_id: str, settings: Settings, display: Display) -> None:
        self._warehouse = warehouse.briefly()  # workers must not wait behind a reader
        self._run_id = run_id
        self._every_s = settings.stage_every
        self._depot = None if settings.staging is None else Depot(settings.staging)
        self._display = display
        self._blobs: dict[str, int] = {}
        self._seen: set[bytes] = set()
        self._last = time.monotonic()

    def expect(self, shard_id: str, blobs: int) -> None:
        """A shard is to come, of so many blobs."""
        self._blobs[shard_id] = blobs

    def instead(self, shard_id: str, parts: Mapping[str, int]) -> None:
        """Others are to come instead of a shard: their names, and how many blobs each has."""
        self._blobs.pop(shard_id, None)
        self._blobs.update(parts)

    def came(self, shard_id: str) -> bool:
        """Whether a shard is there, though its worker was lost before it could say so."""
        self._look()
        return shard_id not in self._blobs

    def count(self, shard_id: str, outcomes: Iterable[Outcome]) -> None:
        """Count a shard's documents, each once in a run: workers do not know what the others have."""
        blobs = self._blobs.pop(shard_id, None)
        if blobs is None:
            return
        fresh = [one for one in outcomes if bytes.fromhex(one.document_id) not in self._seen]
        self._seen.update(bytes.fromhex(one.document_id) for one in fresh)
        self._display.expect(len(fresh) - blobs)
        for one in fresh:
            self._display.tally.count(one)
        self._display.tick()

    def land(self, *, now: bool = False) -> None:
        """Land what waits, `now`, or where the last time is long enough ago. A reader may delay it."""
        if not now and time.monotonic() - self._last < self._every_s:
            return
        self._last = time.monotonic()
        self._look()
        with suppress(WarehouseLocked):
            self._warehouse.land()

    def _look(self) -> None:
        """Bring over what was sent, and count it."""
        if self._depot is not None:
            self._depot.collect([self._run_id], self._warehouse.staging, self._warehouse.archive)
        for path in waiting(self._warehouse.staging):
            self._look_into(path)

    def _look_into(self, path: Path) -> None:
        """Count a shard that its worker has not told of, or never will."""
        shard_id = path.name.removesuffix(STOPPED)
        if shard_id not in self._blobs:
            return
        from warehouse.staging import outcomes

        with suppress(WarehouseError):  # it is damaged: landing says so, and its documents will be done again
            self.count(shard_id, outcomes(path))

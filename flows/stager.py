"""The end of the pipeline: outcomes into shards, shards into the warehouse."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from flows import logs, telemetry
from flows.bundle import Bundle
from flows.channel import Channel
from schemas.errors import WarehouseLocked
from warehouse.store import Warehouse

_LOOK_EVERY_S = 1.0


class Stager:
    """Collects bundles into shards of `size` documents, or of `every_s` seconds, and lands them.

    What is staged is safe from a kill; what waits here is lost by one, and the next run does it again. A
    shard that cannot be landed, because someone reads the database, waits in staging for the next landing.
    """

    def __init__(self, warehouse: Warehouse, run_id: str, size: int, every_s: float) -> None:
        self._warehouse = warehouse.briefly()  # a pipeline must not stand still behind a reader
        self._run_id = run_id
        self._size = size
        self._every_s = every_s
        self._pending: list[Bundle] = []
        self._since = time.monotonic()
        self._shards = 0

    async def run(self, bundles: Channel[Bundle]) -> None:
        """Stage and land all that comes, until the channel ends."""
        while (taken := await bundles.take(_LOOK_EVERY_S)) is not None:
            self._pending += taken
            if self._due():
                await self.flush()
        await self.flush()

    def _due(self) -> bool:
        documents = sum(len(bundle.extractions) for bundle in self._pending)
        return documents >= self._size or time.monotonic() - self._since >= self._every_s

    async def flush(self, more: Iterable[Bundle] = ()) -> None:
        """Stage what has come together, `more` too, and land it, off the event loop."""
        shard, self._pending = [*self._pending, *more], []
        self._since = time.monotonic()
        if shard:
            shard_id = f"{self._run_id}-{self._shards:06}"
            with logs.about(shard=shard_id), telemetry.span("shard", shard=shard_id, blobs=len(shard)):
                await self._land(shard_id, shard)

    async def _land(self, shard_id: str, shard: list[Bundle]) -> None:
        await asyncio.to_thread(stage, self._warehouse, self._run_id, shard_id, shard)
        self._shards += 1
        logs.tell("shard staged", documents=sum(len(bundle.extractions) for bundle in shard))
        with suppress(WarehouseLocked), telemetry.span("land"):
            landed = await asyncio.to_thread(self._warehouse.land)
            logs.tell("shard landed", shards=landed.shards, documents=landed.extractions)


def stage(warehouse: Warehouse, run_id: str, shard_id: str, bundles: Sequence[Bundle]) -> Path:
    """Stage bundles as one shard; the folder that it stands in. Raises WarehouseError."""
    return warehouse.stage(
        shard_id,
        run_id,
        {document.document_id: document for bundle in bundles for document in bundle.news}.values(),
        [extraction for bundle in bundles for extraction in bundle.extractions],
        [sighting for bundle in bundles for sighting in bundle.sightings],
    )

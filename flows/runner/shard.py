"""One part of a run through a pipeline, staged as one shard when all of it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from flows.bundle import Bundle
from flows.channel import Channel
from flows.pipeline import EngineFactory, Pipeline
from flows.plan import Terms
from flows.progress import Display, Tally
from flows.runner.job import Job, Part, Reply
from flows.stager import stage
from flows.tools import Tools
from warehouse.depot import Depot
from warehouse.store import Warehouse

STOPPED = "-stopped"
"""Ends the name of a shard with less than all of its part."""


class Gathering:
    """The end of a part's pipeline: keeps what comes until the part is done."""

    def __init__(self) -> None:
        self.bundles: list[Bundle] = []

    async def run(self, bundles: Channel[Bundle]) -> None:
        """Keep all that comes, until the channel ends."""
        async for bundle in bundles:
            self.bundles.append(bundle)

    async def flush(self, more: Iterable[Bundle] = ()) -> None:
        """Keep `more` too."""
        self.bundles += more


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part is staged: a home that is shared with the lander's, or one to send it from."""

    warehouse: Warehouse
    depot: Depot | None

    def stage(self, run_id: str, shard_id: str, bundles: list[Bundle]) -> None:
        """Stage a shard for the lander. Raises WarehouseError."""
        folder = stage(self.warehouse, run_id, shard_id, bundles)
        if self.depot is not None:
            self.depot.send(run_id, folder, self.warehouse.archive)


@contextmanager
def place(job: Job) -> Iterator[Place]:
    """The place for one part of a job; what was sent from a home of its own is removed there."""
    if job.settings.staging is None:
        yield Place(Warehouse(job.settings.home), None)
        return
    with TemporaryDirectory(prefix="assay-shard-") as folder:
        yield Place(Warehouse(Path(folder)), Depot(job.settings.staging))


class Shard:
    """One part at work. `stop` ends it early: what is finished is staged under a name of its own."""

    def __init__(self, terms: Terms, job: Job, part: Part, start_engine: EngineFactory, tools: Tools) -> None:
        self._terms = terms
        self._job = job
        self._part = part
        self._start_engine = start_engine
        self._tools = tools
        self._pipeline: Pipeline | None = None

    async def run(self) -> Reply:
        """Do it and stage it.

        Raises EngineError where no engine starts or it refuses the schema, WarehouseError where nothing can
        be staged. A part that was not finished is never staged under its shard's name: that stands for all of
        it, whoever did it first.
        """
        job, part, gathering = self._job, self._part, Gathering()
        with place(job) as where:
            intake = part.intake.at(where.warehouse.archive, job.purged)
            plan = self._terms.over(part.blobs, (), job.done, intake)
            display = Display(Tally(part.blobs), Console(quiet=True), None)
            self._pipeline = Pipeline(
                plan, job.run_id, gathering, self._start_engine, display, with_tools=self._tools
            )
            await self._pipeline.run()
            name = f"{part.shard_id}{STOPPED}" if self._pipeline.stopped else part.shard_id
            # In a thread: the engine's other part must not stand still meanwhile.
            await asyncio.to_thread(where.stage, job.run_id, name, gathering.bundles)
        done = (one.outcome for bundle in gathering.bundles for one in bundle.extractions)
        return Reply(outcomes=tuple(done), compile_s=display.tally.compile_s)

    def stop(self) -> None:
        """Take up nothing more and give up what is being generated."""
        if self._pipeline is not None:
            self._pipeline.stop()

"""A run's stages, all at work at once: read, take text, extract and check, stage and land.

Bounded channels join them. More documents are in flight than the engine works on at once, so that it always
finds the next one waiting; reading is ahead of it by as many again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Protocol

from extractors.engines.base import Engine
from extractors.extract import extract_document
from extractors.readers.pool import ReaderPool
from flows import logs, telemetry
from flows.bundle import Bundle, Job
from flows.channel import Channel, drain
from flows.checker import Checker
from flows.intake import Arrival
from flows.plan import Plan
from flows.progress import Display
from flows.secrets import cleaned
from flows.tools import Tools, tools
from schemas.records import Document, Extraction, Level

EngineFactory = Callable[[Plan], Awaitable[Engine]]
READS_AT_ONCE = 16
# Twice what the engine works on: when one answer ends, the next prompt is already in its queue.
IN_FLIGHT_FACTOR = 2


class Stages(Protocol):
    """The end of a pipeline: takes what is finished."""

    async def run(self, bundles: Channel[Bundle]) -> None:
        """Take all that comes, until the channel ends."""
        ...

    async def flush(self, more: Iterable[Bundle] = ()) -> None:
        """Take `more` too; nothing comes after it."""
        ...


class Pipeline:
    """One run over the blobs of a plan. `stop` ends it early; what is finished is staged all the same.

    `with_tools` are somebody else's, who closes them; else it has its own.
    """

    def __init__(
        self,
        plan: Plan,
        run_id: str,
        stager: Stages,
        start_engine: EngineFactory,
        display: Display,
        with_tools: Tools | None = None,
    ) -> None:
        self._plan = plan
        self._run_id = run_id
        self._stager = stager
        self._start_engine = start_engine
        self._display = display
        self._lent = with_tools
        self._in_flight = IN_FLIGHT_FACTOR * plan.settings.max_num_seqs
        self._engine: asyncio.Task[Engine] | None = None
        self._claimed: set[str] = set(plan.done)
        self._open: dict[int, Bundle] = {}
        self._working: set[asyncio.Task[Extraction]] = set()
        self.stopped = False

    async def run(self) -> None:
        """Do the whole plan. Raises EngineError where no engine starts or it refuses the schema."""
        own = tools(self._plan) if self._lent is None else nullcontext(self._lent)
        try:
            with own as lent, ThreadPoolExecutor(self._plan.settings.reader_workers) as threads:
                await self._flow(lent, threads)
        finally:
            await self._close_engine()

    def stop(self) -> None:
        """Take up nothing more and give up what is being generated."""
        self.stopped = True
        for task in self._working:
            task.cancel()
        if self._engine is not None and not self._engine.done():
            self._engine.cancel()

    async def _flow(self, lent: Tools, threads: ThreadPoolExecutor) -> None:
        raw: Channel[Arrival] = Channel(READS_AT_ONCE)
        jobs: Channel[Job] = Channel(self._in_flight)
        finished: Channel[Bundle] = Channel(2 * self._in_flight)
        for name, channel in (("read", raw), ("generate", jobs), ("stage", finished)):
            telemetry.queue(name, channel.__len__)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._fetch(raw))
                group.create_task(self._read_all(raw, jobs, finished, lent.readers, threads))
                group.create_task(self._extract_all(jobs, finished, lent))
                group.create_task(self._stager.run(finished))
        except BaseExceptionGroup as errors:
            await self._land_finished()
            raise _first(errors) from errors
        await self._land_finished()

    async def _land_finished(self) -> None:
        """Land what is finished of the blobs that were not finished as a whole."""
        await self._stager.flush(bundle for bundle in self._open.values() if bundle.extractions)

    async def _fetch(self, raw: Channel[Arrival]) -> None:
        """Bytes of each blob, 16 on their way at once."""
        arriving = self._plan.intake.arriving(READS_AT_ONCE)
        while not self.stopped and (arrival := await asyncio.to_thread(_next, arriving)) is not None:
            await raw.put(arrival)
        await raw.close()

    async def _read_all(
        self,
        raw: Channel[Arrival],
        jobs: Channel[Job],
        finished: Channel[Bundle],
        pool: ReaderPool,
        threads: ThreadPoolExecutor,
    ) -> None:
        """Archive each blob's bytes, take its text in a worker process, hand on what is to be extracted."""

        async def one(arrival: Arrival) -> None:
            if not self.stopped:
                loop = asyncio.get_running_loop()
                with telemetry.span("read", bytes=arrival.blob.size):
                    bundle = await loop.run_in_executor(threads, self._plan.intake.bundle, arrival, pool)
                await self._hand_on(bundle, jobs, finished)

        await drain(raw, one, self._plan.settings.reader_workers)
        await jobs.close()

    async def _hand_on(self, bundle: Bundle, jobs: Channel[Job], finished: Channel[Bundle]) -> None:
        """Claim each document once: the same bytes under two names are one document with one extraction."""
        wanted = {document.document_id: document for document in bundle.documents}
        mine = [wanted[key] for key in wanted if key not in self._claimed or not bundle.seen]
        self._claimed.update(document.document_id for document in mine)
        bundle.waiting = {document.document_id for document in mine}
        self._open[id(bundle)] = bundle
        self._display.expect(len(mine) - 1)
        for document in mine:
            await jobs.put(Job(document, bundle))
        if not mine:
            await self._finish(bundle, finished)

    async def _extract_all(self, jobs: Channel[Job], finished: Channel[Bundle], tools: Tools) -> None:
        async def one(job: Job) -> None:
            extraction = await self._extract(job.document, tools)
            if extraction is not None:
                job.bundle.add(extraction)
                self._display.add(extraction)
                if job.bundle.complete:
                    await self._finish(job.bundle, finished)

        await drain(jobs, one, self._in_flight)
        await finished.close()

    async def _finish(self, bundle: Bundle, finished: Channel[Bundle]) -> None:
        del self._open[id(bundle)]
        await finished.put(bundle)

    async def _extract(self, document: Document, tools: Tools) -> Extraction | None:
        """One document's outcome; None where the run is being stopped."""
        if self.stopped:
            return None
        task = asyncio.create_task(self._outcome(document, tools))
        self._working.add(task)
        try:
            extraction = await task
            # A terminal's Ctrl-C reaches the engine's process too: its dying answers are no outcomes.
            return None if self.stopped and extraction.level is Level.DECODE else extraction
        except asyncio.CancelledError:
            if self.stopped:
                return None
            task.cancel()
            raise
        finally:
            self._working.discard(task)

    async def _outcome(self, document: Document, tools: Tools) -> Extraction:
        key = document.document_id
        with logs.about(document=key), telemetry.span("document", document=key):
            extraction = cleaned(await self._extracted(document, tools))
            telemetry.ended(extraction)
            logs.tell("document", **figures(extraction))
        return extraction

    async def _extracted(self, document: Document, tools: Tools) -> Extraction:
        plan = self._plan
        extraction: Extraction = await extract_document(
            document,
            engine=await self._loaded(),
            prompt=plan.prompt,
            schema=plan.schema,
            decoding=plan.decoding,
            recipe_id=plan.recipe.recipe_id,
            run_id=self._run_id,
            validate=Checker(plan.schema.cls),
            scorer=tools.scorer,
        )
        return extraction

    async def _loaded(self) -> Engine:
        """The engine, started when the first document needs it, and only once."""
        if self._engine is None:
            self._display.stage("loading the engine")
            self._engine = asyncio.create_task(self._start())
        return await asyncio.shield(self._engine)

    async def _start(self) -> Engine:
        engine = await self._start_engine(self._plan)
        engine = telemetry.watched(engine, self._plan.settings.max_num_seqs)
        try:
            await self._compile(engine)
        except BaseException:
            await engine.close()
            raise
        self._display.ready()
        return engine

    async def _compile(self, engine: Engine) -> None:
        """A schema that cannot be enforced ends the run before any document was sent."""
        if self._plan.decoding.mode == "guided":
            self._display.tally.compile_s = await engine.compile(self._plan.prompt.json_schema)

    async def _close_engine(self) -> None:
        if self._engine is None:
            return
        await asyncio.wait([self._engine])
        if not self._engine.cancelled() and self._engine.exception() is None:
            await self._engine.result().close()


def figures(extraction: Extraction) -> dict[str, object]:
    """What a log tells of an outcome: names from closed lists and counts, nothing that was written."""
    attempts = extraction.attempts
    return {
        "status": str(extraction.status),
        "failed_level": extraction.level and str(extraction.level),
        "category": extraction.category and str(extraction.category),
        "attempts": len(attempts),
        "output_tokens": sum(one.output_tokens for one in attempts),
        "seconds": round(sum(one.total_s or 0.0 for one in attempts), 3),
    }


def _next(arriving: Iterator[Arrival]) -> Arrival | None:
    """The next item, or None at the end: a StopIteration cannot leave a thread."""
    return next(arriving, None)


def _first(errors: BaseExceptionGroup) -> BaseException:
    """The first error of a group of groups: one stage's error cancels the others."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error

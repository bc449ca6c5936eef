"""One engine for many runs: it is started once for each backend, and closed after the last run.

An engine belongs to the event loop that it was started in, and each run has a loop of its own. So the engine
lives in the loop of a thread, and what a run asks of it is handed over.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, TypeVar

from extractors.engines.base import Engine
from extractors.engines.wrapped import WrappedEngine
from flows.pipeline import EngineFactory
from flows.plan import Plan
from schemas.decoding import Decoding
from schemas.records import Attempt, Request

_T = TypeVar("_T")


class Lent(WrappedEngine):
    """An engine in another loop, as one run sees it. Closing it gives it back and leaves it running."""

    def __init__(self, engine: Engine, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(engine)
        self._loop = loop

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:
        """As the engine's own; giving it up here gives it up there."""
        return await self._there(self.engine.generate(request, decoding, document_id))

    async def compile(self, json_schema: str) -> float:
        """As the engine's own."""
        return await self._there(self.engine.compile(json_schema))

    async def score(self, prompt: tuple[int, ...], answer: tuple[int, ...]) -> list[float]:
        """As the engine's own."""
        return await self._there(self.engine.score(prompt, answer))

    async def close(self) -> None:
        """Nothing: the next run goes on with it."""

    async def _there(self, asked: Coroutine[Any, Any, _T]) -> _T:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(asked, self._loop))


class SharedEngines:
    """A factory of engines for runs one after the other: one engine at a time, kept while it can be.

    A run with another backend, model folder or limits than the last gets a new engine, after the old one is
    closed: two would take twice the memory. Servers are asked anew for each decoding, which takes no time.
    """

    def __init__(self, start: EngineFactory, loop: asyncio.AbstractEventLoop) -> None:
        self._start = start
        self._loop = loop
        self._key: tuple[object, ...] | None = None
        self._engine: Engine | None = None

    async def __call__(self, plan: Plan) -> Engine:
        """The engine for a plan. Raises EngineUnavailable where it does not start."""
        settings = plan.settings
        served = None if plan.told is None else plan.decoding.name
        key = (plan.model, plan.decoding.backend, settings.max_model_len, settings.max_num_seqs, served)
        if self._engine is None or key != self._key:
            await self.close()
            self._engine = await self._there(self._start(plan))
            self._key = key
        return Lent(self._engine, self._loop)

    async def close(self) -> None:
        """Close the engine that is open."""
        engine, self._engine = self._engine, None
        if engine is not None:
            await self._there(engine.close())

    async def _there(self, asked: Any) -> Any:
        future: Future[Any] = asyncio.run_coroutine_threadsafe(_awaited(asked), self._loop)
        return await asyncio.wrap_future(future)


async def _awaited(asked: Any) -> Any:
    return await asked


@contextmanager
def shared(start: EngineFactory) -> Iterator[SharedEngines]:
    """Engines that outlive a run, in a loop of their own thread; closed on leaving."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="engines", daemon=True)
    thread.start()
    engines = SharedEngines(start, loop)
    try:
        yield engines
    finally:
        asyncio.run(engines.close())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

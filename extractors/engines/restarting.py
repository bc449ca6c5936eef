"""An engine that is started again when it dies, and knows which document killed it.

A process that dies takes all its requests along, so whoever was in flight is a suspect. On the new process
the suspects are asked again one at a time, with nobody beside: a document over which it dies once more is the
one. That document is set aside, and the rest goes on.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from extractors.engines.base import Engine
from extractors.engines.translate import failed_attempt
from extractors.engines.turns import Turns
from extractors.engines.wrapped import WrappedEngine
from schemas.decoding import Decoding
from schemas.errors import EngineUnavailable
from schemas.records import Attempt, Ending, Request

# Deaths without a single answer between them, after which the engine itself is taken to be at fault.
DEATHS = 3

_LOG = logging.getLogger(__name__)


class RestartingEngine(WrappedEngine):
    """An `Engine` in front of one that may die; `start` makes another one like it."""

    def __init__(self, engine: Engine, start: Callable[[], Awaitable[Engine]]) -> None:
        super().__init__(engine)
        self._start = start
        self._life = 0
        self._deaths = 0
        self._turns = Turns()
        self._restarting = asyncio.Lock()

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:
        """As `Engine` says; a second time, alone, where the engine died over the first.

        Raises EngineUnavailable where it does not start again, or dies over whatever it is asked.
        """
        clock = time.monotonic()
        try:
            async with self._turns.shared():
                life = self._life
                return self._answered(await self.engine.generate(request, decoding, document_id))
        except EngineUnavailable as error:
            await self._restart(life, error)
        try:
            async with self._turns.alone():
                life = self._life
                return self._answered(await self.engine.generate(request, decoding, document_id))
        except EngineUnavailable as error:
            await self._restart(life, error)
            _LOG.error("the engine died twice over document %s, which is set aside", document_id)
            reason = f"the engine died twice over this document: {error}"
            return [failed_attempt(request, document_id, 0, Ending.ERROR, reason, clock)]

    async def score(self, prompt: tuple[int, ...], answer: tuple[int, ...]) -> list[float]:
        """As `Engine` says. A pass that is lost with the engine is not made again."""
        async with self._turns.shared():
            return await self.engine.score(prompt, answer)

    def _answered(self, attempts: list[Attempt]) -> list[Attempt]:
        self._deaths = 0
        return attempts

    async def _restart(self, life: int, error: EngineUnavailable) -> None:
        """A new engine for the one that died in its life number `life`, unless another task was first."""
        async with self._restarting:
            if self._life != life:
                return
            self._deaths += 1
            if self._deaths >= DEATHS:
                raise error
            _LOG.warning("%s: it is started again", error)
            await self.engine.close()
            self.engine = await self._start()
            self._life += 1

"""The engine of a worker: started once, kept for all its parts. And the one of no worker at all."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from extractors.engines.base import Engine
from extractors.engines.tokenizer import Tokenizer
from extractors.engines.wrapped import WrappedEngine
from flows.pipeline import EngineFactory
from flows.plan import Plan
from schemas.decoding import Decoding
from schemas.errors import EngineUnavailable
from schemas.records import Attempt, Request


class Lent(WrappedEngine):
    """An engine as one part sees it: closing it leaves it running for the next one."""

    async def close(self) -> None:
        """Nothing: the worker closes it."""


class Kept:
    """A factory that starts one engine, when the first part asks, and lends it to all."""

    def __init__(self, start: EngineFactory) -> None:
        self._start = start
        self._engine: asyncio.Task[Engine] | None = None

    async def __call__(self, plan: Plan) -> Engine:
        """The engine. Raises EngineError where it could not be started, to each who asks."""
        if self._engine is None:
            self._engine = asyncio.ensure_future(self._start(plan))
        return Lent(await asyncio.shield(self._engine))

    async def close(self) -> None:
        """Close the engine, once it is started."""
        if self._engine is not None:
            await asyncio.wait([self._engine])
            if not self._engine.cancelled() and self._engine.exception() is None:
                await self._engine.result().close()


class NoEngine:
    """Answers nothing, and says why: for documents that no worker could do."""

    def __init__(self, plan: Plan, reason: str) -> None:
        self.tokenizer = Tokenizer(plan.model)
        self.max_model_len = plan.settings.max_model_len
        self._reason = reason

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:  # noqa: ARG002
        """Raises EngineUnavailable with the reason."""
        raise EngineUnavailable(self._reason)

    async def compile(self, json_schema: str) -> float:  # noqa: ARG002
        """Nothing is compiled."""
        return 0.0

    async def score(self, prompt: tuple[int, ...], answer: tuple[int, ...]) -> list[float]:  # noqa: ARG002
        """Raises EngineUnavailable with the reason."""
        raise EngineUnavailable(self._reason)

    def identity(self) -> Mapping[str, str]:
        """There is no model."""
        return {}

    def versions(self) -> Mapping[str, str]:
        """There is no engine."""
        return {}

    async def close(self) -> None:
        """Nothing is open."""

"""An engine whose requests are traced and counted."""

from __future__ import annotations

from extractors.engines.base import Engine
from extractors.engines.wrapped import WrappedEngine
from flows.otlp import Otlp
from schemas.decoding import Decoding
from schemas.records import Attempt, Request


class Watched(WrappedEngine):
    """A span for each request, and how many of them are in the engine."""

    def __init__(self, engine: Engine, places: int, otlp: Otlp) -> None:
        super().__init__(engine)
        self._places = places
        self._otlp = otlp

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:
        """As the engine's own."""
        about = {"assay.prompt_tokens": len(request.prompt_ids), "assay.decoding": decoding.name}
        with self._otlp.load.one(self._places), self._otlp.span("generate", about) as span:
            attempts = await self.engine.generate(request, decoding, document_id)
            span.set_attribute("assay.output_tokens", sum(one.output_tokens for one in attempts))
            span.set_attribute("assay.endings", [str(one.ending) for one in attempts])
            return attempts

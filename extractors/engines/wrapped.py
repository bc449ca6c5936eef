"""An engine in front of another one."""

from __future__ import annotations

from collections.abc import Mapping

from extractors.engines.base import Engine
from extractors.engines.tokenizer import Tokenizer
from schemas.decoding import Decoding
from schemas.records import Attempt, Request


class WrappedEngine:
    """An `Engine` that passes everything on. A subclass says what it does otherwise."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @property
    def tokenizer(self) -> Tokenizer:
        """As `Engine` says."""
        return self.engine.tokenizer

    @property
    def max_model_len(self) -> int:
        """As `Engine` says."""
        return self.engine.max_model_len

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:
        """As `Engine` says."""
        return await self.engine.generate(request, decoding, document_id)

    async def compile(self, json_schema: str) -> float:
        """As `Engine` says."""
        return await self.engine.compile(json_schema)

    async def score(self, prompt: tuple[int, ...], answer: tuple[int, ...]) -> list[float]:
        """As `Engine` says."""
        return await self.engine.score(prompt, answer)

    def identity(self) -> Mapping[str, str]:
        """As `Engine` says."""
        return self.engine.identity()

    def versions(self) -> Mapping[str, str]:
        """As `Engine` says."""
        return self.engine.versions()

    async def close(self) -> None:
        """As `Engine` says."""
        await self.engine.close()

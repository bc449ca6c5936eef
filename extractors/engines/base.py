"""The one seam to a language model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from extractors.engines.tokenizer import Tokenizer
from schemas.decoding import Decoding
from schemas.records import Attempt, Request


class Engine(Protocol):
    """Answers one request at a time, many in flight.

    A request that goes wrong comes back as an attempt whose `ending` says how; it never takes others along.
    """

    @property
    def tokenizer(self) -> Tokenizer:
        """The model's own tokenizer."""

    @property
    def max_model_len(self) -> int:
        """Tokens that prompt and answer may have together."""

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:
        """One attempt for each of `decoding.at_once` samples.

        Raises EngineUnavailable where the engine as a whole is down.
        """

    async def compile(self, json_schema: str) -> float:
        """Compile a schema before any document is sent; the seconds that took, 0 where it was done before.

        Raises EngineRefusedSchema, which names the keyword and the backends that would take the schema.
        """

    async def score(self, prompt: tuple[int, ...], answer: tuple[int, ...]) -> list[float]:
        """The model's own log-probability (natural, without any mask) of each token of `answer`.

        One prefill pass over both. They must leave room for one token more in `max_model_len`. Raises
        EngineError where the pass fails, EngineUnavailable where the engine as a whole is down.
        """

    def identity(self) -> Mapping[str, str]:
        """Content hashes of the model and the engine's settings."""

    def versions(self) -> Mapping[str, str]:
        """Versions of the libraries that can change an answer."""

    async def close(self) -> None:
        """Give back everything, child processes too. Calling it again does nothing."""

"""vLLM over HTTP: one or several OpenAI-compatible servers of one model, as one engine.

The same protocol and records as `embedded`: token ids go in and come out, the sampling parameters and the
reading of answers are the same lines. Beam search is not to be had: it masks each step by itself.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from extractors.engines import wire
from extractors.engines.balance import Balancer
from extractors.engines.examine import Examiner
from extractors.engines.refusal import refused
from extractors.engines.tokenizer import Tokenizer
from extractors.engines.told import NO_BEAM, Servers, Told, served_identity
from extractors.engines.translate import attempt_of, failed_attempt, own_logprobs
from schemas.decoding import Decoding
from schemas.errors import EngineError, EngineRefusedSchema, EngineTimeout, EngineUnavailable
from schemas.records import Attempt, Ending, Request


class ServedEngine:
    """An `Engine` over HTTP. Made by `start`."""

    def __init__(
        self, servers: Servers, told: Told, model_dir: Path, decoding: Decoding, max_model_len: int
    ) -> None:
        """`told` is what the recipe was made of, `max_model_len` the tokens of prompt and answer together."""
        self.tokenizer = Tokenizer(model_dir)
        self.max_model_len = max_model_len
        self._servers = servers
        self._told = told
        self._model_dir = model_dir
        self._decoding = decoding
        self._examiner = Examiner(told, self.tokenizer, decoding, max_model_len)
        self._balancer = Balancer(servers.clients(), self._examiner.examine, servers.patience_s)
        self._compiled: set[str] = set()

    @classmethod
    async def start(
        cls, servers: Servers, told: Told, model_dir: Path, decoding: Decoding, max_model_len: int
    ) -> ServedEngine:
        """Look at every server before any document is sent.

        Raises EngineMismatch for one that is not what the recipe says, EngineUnavailable where none comes.
        """
        if decoding.beam_width > 1:
            raise EngineError(NO_BEAM)
        engine = cls(servers, told, model_dir, decoding, max_model_len)
        try:
            await engine._balancer.start()
        except BaseException:
            await engine.close()
            raise
        return engine

    async def compile(self, json_schema: str) -> float:
        """Have the servers' backend compile the schema for one token; seconds, 0 where it was done before.

        Raises EngineRefusedSchema with the backend's reason.
        """
        if json_schema in self._compiled:
            return 0.0
        began, backend = time.monotonic(), self._decoding.backend
        probe = Request("compile", self.tokenizer.encode_data("{"), json_schema, max_tokens=1, seed=0)
        attempt = (await self.generate(probe, Decoding(name="compile", backend=backend), ""))[0]
        if attempt.ending not in (Ending.STOP, Ending.LENGTH):
            reason = attempt.error or str(attempt.ending)
            if find_spec("vllm") is None:
                raise EngineRefusedSchema(f"{backend} cannot enforce the schema: {reason}")
            raise await asyncio.to_thread(refused, json_schema, backend, reason)
        self._compiled.add(json_schema)
        return time.monotonic() - began

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:
        """One attempt for each sample drawn at once; the seed of sample i is the request's plus i."""
        if decoding.backend != self._decoding.backend:
            raise EngineError(f"the servers were tried for {self._decoding.backend}, not {decoding.backend}")
        if decoding.beam_width > 1:
            raise EngineError(NO_BEAM)
        drawn = decoding.samples if decoding.selection == "vote" else 1
        each = (self._one(request, decoding, document_id, sample) for sample in range(drawn))
        return list(await asyncio.gather(*each))

    async def _one(self, request: Request, decoding: Decoding, document_id: str, sample: int) -> Attempt:
        """One sample; whatever goes wrong is its ending, but for servers that are down altogether."""
        clock = time.monotonic()
        try:
            body = wire.drawn(self._told.model, request, decoding, sample)
            output, seconds = await self._ask(body, request.prompt_ids, request.max_tokens)
        except EngineUnavailable:
            raise
        except EngineTimeout as error:
            return failed_attempt(request, document_id, sample, Ending.TIMEOUT, str(error), clock)
        except EngineError as error:
            return failed_attempt(request, document_id, sample, Ending.ERROR, str(error), clock)
        attempt = attempt_of(output, request, document_id, sample, seconds)
        return _completed(attempt, output)

    async def _ask(self, body: bytes, prompt: Sequence[int], most: int) -> tuple[wire.Output, float]:
        """The answer, checked, of a server that is known; and the seconds that it took."""

        def read(url: str, said: bytes) -> wire.Output:
            output = wire.parsed(said, prompt, most, self.tokenizer.vocabulary)
            self._examiner.recognise(url, output)
            return output

        return await self._balancer.post(wire.PATH, body, read)

    async def score(self, prompt: tuple[int, ...], answer: tuple[int, ...]) -> list[float]:
        """The unmasked log-probability of each token of `answer`, by a prefill pass over both."""
        ids = (*prompt, *answer)
        output, _ = await self._ask(wire.scored(self._told.model, ids), ids, 1)
        return own_logprobs(output, answer)

    def identity(self) -> Mapping[str, str]:
        """What is known of the served model."""
        return served_identity(self._model_dir, self._told)

    def versions(self) -> Mapping[str, str]:
        """The servers' vLLM; its libraries' versions are not told."""
        return {"vllm": self._told.vllm}

    async def close(self) -> None:
        """Close every connection."""
        await self._balancer.close()


def _completed(attempt: Attempt, output: wire.Output) -> Attempt:
    """With the server's own timings, which it tells only if started with --enable-per-request-metrics."""
    timed = replace(attempt, queued_s=output.queued_s or 0.0, first_token_s=output.first_token_s or 0.0)
    if output.refusal is None:
        return timed
    return replace(timed, ending=Ending.REFUSAL, error=output.refusal[:300])

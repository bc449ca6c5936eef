"""vLLM in this process' own keeping: AsyncLLM on CPU or GPU, one engine a process.

AsyncLLM keeps a failure to its one request, where `LLM.chat` fails the whole call. The structured-output
backend is named at the start and never changes: vLLM latches the first one it uses, and under `auto` a later
schema can be compiled by the wrong one and come back silently invalid.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import uuid_utils

from extractors.engines import sampling
from extractors.engines.beam_engine import Searcher
from extractors.engines.identity import engine_versions, model_identity
from extractors.engines.process import core_pids, prepare_environment, reap
from extractors.engines.refusal import refused
from extractors.engines.shutdown import PATIENCE_S, shut_down, stop_listening
from extractors.engines.starting import Options, start_core
from extractors.engines.tokenizer import Tokenizer
from extractors.engines.translate import attempt_of, failed_attempt, own_logprobs, translated
from schemas.decoding import Backend, Decoding
from schemas.errors import EngineError, EngineTimeout, EngineUnavailable
from schemas.records import Attempt, Ending, Request

# Seconds between looks at whether the core of a request that waits is alive.
_WATCH_S = 2.0


class EmbeddedEngine:
    """An `Engine` on AsyncLLM. Made by `start`; `close` ends its child process."""

    def __init__(self, core: Any, options: Options, children: frozenset[int]) -> None:
        """Keep a running AsyncLLM and the process ids that came with it."""
        self.core = core
        self.options = options
        self._children = children
        self._compiled: dict[str, float] = {}
        # A search is hundreds of requests: all at once, each waits for the others until its time is over.
        self._searches = asyncio.Semaphore(max(1, options.max_num_seqs // 4))
        self.tokenizer = Tokenizer(options.model_dir)
        self.max_model_len = int(core.model_config.max_model_len)

    @classmethod
    async def start(
        cls,
        model_dir: Path,
        backend: Backend = "guidance",
        max_model_len: int | None = None,
        max_num_seqs: int = 32,
        *,
        kv_cache_bytes: int | None = None,
        timeout_s: float = 600.0,
    ) -> EmbeddedEngine:
        """Load the model (about 15 s on CPU). Raises EngineUnavailable with the engine's own reason."""
        options = Options(model_dir, backend, max_model_len, max_num_seqs, kv_cache_bytes, timeout_s)
        prepare_environment()
        before, abandoned = core_pids(), threading.Event()
        try:
            core = await asyncio.to_thread(start_core, options, abandoned)
        except BaseException:
            abandoned.set()
            reap(core_pids() - before, 0.0)
            raise
        return cls(core, options, core_pids() - before)

    async def compile(self, json_schema: str) -> float:
        """Have the backend compile the schema for one token; seconds taken, 0 where it was done before.

        Raises EngineRefusedSchema, which names the keyword and the backends that would take the schema.
        """
        if json_schema in self._compiled:
            return 0.0
        probe = Request("compile", self.tokenizer.encode_data("{"), json_schema, max_tokens=1, seed=0)
        guided = Decoding(name="compile", backend=self.options.backend)
        if not self._compiled:  # the first request of all takes longer, which is not the compiler's doing
            await self.generate(probe, guided.model_copy(update={"mode": "prompt"}), "")
        started = time.monotonic()
        (attempt,) = await self.generate(probe, guided, "")
        if attempt.ending not in (Ending.STOP, Ending.LENGTH):
            reason = attempt.error or attempt.ending
            raise await asyncio.to_thread(refused, json_schema, self.options.backend, reason)
        self._compiled[json_schema] = time.monotonic() - started
        return self._compiled[json_schema]

    async def score(self, prompt: tuple[int, ...], answer: tuple[int, ...]) -> list[float]:
        """The unmasked log-probability of each token of `answer`, by a prefill pass over both."""
        try:
            async with asyncio.timeout(self.options.timeout_s):
                output = await self._final_output((*prompt, *answer), sampling.prefill())
        except TimeoutError as error:
            raise EngineTimeout(f"not scored within {self.options.timeout_s:g} s") from error
        except Exception as error:
            raise translated(error) from error
        return own_logprobs(output, answer)

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:
        """One attempt for each sample drawn at once; the seed of sample i is the request's plus i."""
        if decoding.backend != self.options.backend:
            raise EngineError(f"this engine was started with {self.options.backend}, not {decoding.backend}")
        samples = range(decoding.at_once)
        return list(await asyncio.gather(*(self._one(request, decoding, document_id, i) for i in samples)))

    async def _one(self, request: Request, decoding: Decoding, document_id: str, sample: int) -> Attempt:
        """One sample; whatever goes wrong is its ending, but for an engine that is down altogether."""
        clock = time.monotonic()
        try:
            if decoding.beam_width > 1:
                return await self._search(request, decoding, document_id)
            async with asyncio.timeout(self.options.timeout_s):
                parameters = sampling.parameters(request, decoding, sample)
                output = await self._final_output(request.prompt_ids, parameters)
            return attempt_of(output, request, document_id, sample, time.monotonic() - clock)
        except TimeoutError:
            reason = f"no answer within {self.options.timeout_s:g} s"
            return failed_attempt(request, document_id, sample, Ending.TIMEOUT, reason, clock)
        except Exception as error:
            known = translated(error)
            if isinstance(known, EngineUnavailable):
                raise known from error
            return failed_attempt(request, document_id, sample, Ending.ERROR, str(known), clock)

    async def _search(self, request: Request, decoding: Decoding, document_id: str) -> Attempt:
        config, folder = self.core.model_config, self.options.model_dir
        async with self._searches, asyncio.timeout(self.options.timeout_s):
            searcher = await asyncio.to_thread(
                Searcher, self._final_output, config, folder, request, decoding
            )
            return await searcher.attempt(self.tokenizer, document_id)

    async def _final_output(self, prompt_ids: Sequence[int], parameters: Any) -> Any:
        """The answer; EngineUnavailable where the core dies first, which vLLM itself can miss.

        A core that is killed just as a request comes in leaves that request waiting for ever.
        """
        if self.core is None:
            raise EngineUnavailable("the engine is closed")
        answer = asyncio.create_task(self._drawn(prompt_ids, parameters))
        try:
            while not (await asyncio.wait({answer}, timeout=_WATCH_S))[0]:
                if not self._children & core_pids():
                    raise EngineUnavailable("the engine's process has died")
            return answer.result()
        finally:
            answer.cancel()
            await asyncio.gather(answer, return_exceptions=True)

    async def _drawn(self, prompt_ids: Sequence[int], parameters: Any) -> Any:
        prompt = {"prompt_token_ids": list(prompt_ids)}
        final = None
        async for output in self.core.generate(prompt, parameters, str(uuid_utils.uuid7())):
            final = output
        if final is None or not final.outputs:
            raise EngineError("the engine ended the request without an output")
        return final

    async def distribution(self, ids: tuple[int, ...]) -> dict[int, float]:
        """The model's own log-probability of every token that could follow `ids`. Raises EngineError."""
        try:
            output = await self._final_output(ids, sampling.distribution())
        except Exception as error:
            raise translated(error) from error
        flat = output.outputs[0].logprobs
        return dict(zip(flat.token_ids, flat.logprobs, strict=True))

    def identity(self) -> Mapping[str, str]:
        """Content hashes of the model, and the engine's settings."""
        return model_identity(self.options.model_dir)

    def versions(self) -> Mapping[str, str]:
        """Versions of vLLM and its libraries."""
        return engine_versions()

    async def close(self) -> None:
        """Shut the engine down and make sure that no child process stays behind."""
        core, self.core = self.core, None
        if core is not None:
            await stop_listening(core)
            await asyncio.to_thread(shut_down, core)
            await asyncio.to_thread(reap, self._children, PATIENCE_S)

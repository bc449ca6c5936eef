"""vLLM in this process' own keeping: AsyncLLM on CPU or GPU, one engine a process.

AsyncLLM keeps a failure to its one request, where `LLM.chat` fails the whole call. The structured-output
backend is named at the start and never changes: vLLM latches the first one it uses, and under `auto` a later
schema can be compiled by the wrong one and come back silently invalid.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uuid_utils

from extractors.engines import sampling
from extractors.engines.beam_engine import Searcher
from extractors.engines.identity import SETTINGS, engine_versions, model_identity
from extractors.engines.process import core_pids, prepare_environment, reap
from extractors.engines.refusal import refused
from extractors.engines.tokenizer import Tokenizer
from extractors.engines.translate import attempt_of, failed_attempt, own_logprobs, translated
from schemas.decoding import Backend, Decoding
from schemas.errors import EngineError, EngineTimeout, EngineUnavailable
from schemas.records import Attempt, Ending, Request

GUARDED = "extractors.engines.executor.GuardedExecutor"
# Said explicitly on CPU, where vLLM would otherwise take half of the memory; a GPU is given what it has.
_CPU_CACHE_BYTES = 1 << 30
_SHUTDOWN_S = 5.0


@dataclass(frozen=True)
class Options:
    """How the engine is started. `max_model_len` None takes the model's own; times are seconds."""

    model_dir: Path
    backend: Backend = "guidance"
    max_model_len: int | None = None
    max_num_seqs: int = 32
    kv_cache_bytes: int | None = None
    timeout_s: float = 600.0


class EmbeddedEngine:
    """An `Engine` on AsyncLLM. Made by `start`; `close` ends its child process."""

    def __init__(self, core: Any, options: Options, children: frozenset[int]) -> None:
        """Keep a running AsyncLLM and the process ids that came with it."""
        self.core = core
        self.options = options
        self._children = children
        self._compiled: dict[str, float] = {}
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
        before = core_pids()
        try:
            core = await asyncio.to_thread(_start_core, options)
        except BaseException:
            reap(core_pids() - before, 0.0)
            raise
        return cls(core, options, core_pids() - before)

    async def compile(self, json_schema: str) -> float:
        """Have the backend compile the schema for one token; seconds taken, 0 where it was done before.

        Raises EngineRefusedSchema, which names the keyword and the backends that would take the schema.
        """
        if json_schema in self._compiled:
            return 0.0
        started = time.monotonic()
        probe = Request("compile", self.tokenizer.encode_data("{"), json_schema, max_tokens=1, seed=0)
        attempt = (await self.generate(probe, Decoding(name="compile", backend=self.options.backend), ""))[0]
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
        drawn = decoding.samples if decoding.selection == "vote" else 1
        return list(
            await asyncio.gather(*(self._one(request, decoding, document_id, i) for i in range(drawn)))
        )

    async def _one(self, request: Request, decoding: Decoding, document_id: str, sample: int) -> Attempt:
        """One sample; whatever goes wrong is its ending, but for an engine that is down altogether."""
        clock = time.monotonic()
        try:
            async with asyncio.timeout(self.options.timeout_s):
                if decoding.beam_width > 1:
                    return await self._search(request, decoding, document_id)
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
        searcher = await asyncio.to_thread(Searcher, self._final_output, config, folder, request, decoding)
        return await searcher.attempt(self.tokenizer, document_id)

    async def _final_output(self, prompt_ids: Sequence[int], parameters: Any) -> Any:
        prompt = {"prompt_token_ids": list(prompt_ids)}
        final = None
        async for output in self.core.generate(prompt, parameters, str(uuid_utils.uuid7())):
            final = output
        if final is None or not final.outputs:
            raise EngineError("the engine ended the request without an output")
        return final

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
            await asyncio.to_thread(core.shutdown, _SHUTDOWN_S)
            await asyncio.to_thread(reap, self._children, _SHUTDOWN_S)
            # vLLM's own `__del__` would shut it down again as the interpreter ends, and complain.
            core.shutdown = _nothing


def _nothing() -> None:
    """It is closed already."""


def _cache_bytes(options: Options) -> int | None:
    from vllm.platforms import current_platform

    return options.kv_cache_bytes or (_CPU_CACHE_BYTES if current_platform.is_cpu() else None)


def _start_core(options: Options) -> Any:
    """AsyncLLM with every setting explicit. vLLM is imported here, after the environment is set."""
    try:
        from vllm.engine.arg_utils import AsyncEngineArgs
        from vllm.v1.engine.async_llm import AsyncLLM
    except ImportError as error:
        raise EngineUnavailable("vLLM is not installed: install the `cpu` or `gpu` extra") from error
    settings = {key: SETTINGS[key] for key in ("dtype", "enforce_eager", "enable_prefix_caching")}
    compact = bool(SETTINGS["disable_any_whitespace"]) and options.backend != "outlines"
    structured = {"backend": options.backend, "disable_any_whitespace": compact}
    try:
        arguments = AsyncEngineArgs(
            model=str(options.model_dir),
            max_model_len=options.max_model_len,
            max_num_seqs=options.max_num_seqs,
            kv_cache_memory_bytes=_cache_bytes(options),
            structured_outputs_config=structured,
            distributed_executor_backend=GUARDED,
            disable_log_stats=False,
            use_tqdm_on_load=False,
            enable_log_requests=False,
            **settings,
        )
        return AsyncLLM.from_engine_args(arguments, stat_loggers=[])
    except Exception as error:
        raise EngineUnavailable(f"the engine did not start: {error}") from error

"""How AsyncLLM is started: every setting explicit, its child process bound to ours."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from extractors.engines.identity import SETTINGS
from extractors.engines.shutdown import shut_down
from schemas.decoding import Backend
from schemas.errors import EngineUnavailable

GUARDED = "extractors.engines.executor.GuardedExecutor"
# Said explicitly on CPU, where vLLM would otherwise take half of the memory; a GPU is given what it has.
_CPU_CACHE_BYTES = 1 << 30


@dataclass(frozen=True)
class Options:
    """How the engine is started. `max_model_len` None takes the model's own; times are seconds."""

    model_dir: Path
    backend: Backend = "guidance"
    max_model_len: int | None = None
    max_num_seqs: int = 32
    kv_cache_bytes: int | None = None
    timeout_s: float = 600.0


def _platform(options: Options) -> dict[str, Any]:
    """What differs between a CPU and a GPU.

    On a CPU a prompt is never taken up in parts: where such a one is drawn with a seed, vLLM 0.32 winds the
    seed's generator back, which a CPU's cannot, and the engine's process ends.
    """
    from vllm.platforms import current_platform

    if not current_platform.is_cpu():
        return {"kv_cache_memory_bytes": options.kv_cache_bytes}
    return {
        "kv_cache_memory_bytes": options.kv_cache_bytes or _CPU_CACHE_BYTES,
        "enable_chunked_prefill": False,
    }


def start_core(options: Options, abandoned: threading.Event) -> Any:
    """AsyncLLM with every setting explicit; shut down again where nobody waits for it any more.

    vLLM is imported here, after the environment is set. A thread cannot be cancelled, so it asks.
    """
    core = _new_core(options)
    if abandoned.is_set():
        shut_down(core)
        raise EngineUnavailable("the engine is not wanted any more")
    return core


def _new_core(options: Options) -> Any:
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
            structured_outputs_config=structured,
            distributed_executor_backend=GUARDED,
            disable_log_stats=False,
            max_logprobs=-1,  # no limit: a trace asks for all of them
            use_tqdm_on_load=False,
            enable_log_requests=False,
            **settings,
            **_platform(options),
        )
        return AsyncLLM.from_engine_args(arguments, stat_loggers=[])
    except Exception as error:
        raise EngineUnavailable(f"the engine did not start: {error}") from error

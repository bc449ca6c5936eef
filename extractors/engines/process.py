"""The engine's child process: its environment before it starts, and that it never outlives us."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterable
from contextlib import suppress

import psutil

_NAME = "EngineCore"
ENVIRONMENT = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",  # the executor inside the core: a third process costs a minute
    "OMP_NUM_THREADS": "1",  # more threads were slower on small machines
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TRANSFORMERS_VERBOSITY": "error",
    "TOKENIZERS_PARALLELISM": "false",
    "TORCH_CPP_LOG_LEVEL": "ERROR",
    "TORCH_LOGS": "-all",
    "VLLM_REGEX_COMPILATION_TIMEOUT_S": "60",  # outlines needs more than vLLM's 5 s for a receipt's schema
    "PYTHONWARNINGS": "ignore",  # the child's; ours are set up already
}


def prepare_environment() -> None:
    """Offline, quiet and quick to start; what the user has set stays. To be called before vLLM's import."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)


def core_pids() -> frozenset[int]:
    """The engine cores that this process has started and that are alive.

    Only who waits for a process first learns of its end: where psutil did, multiprocessing thinks it alive.
    """
    cores = [one for one in multiprocessing.active_children() if one.name.startswith(_NAME)]
    return frozenset(one.pid for one in cores if one.pid is not None and psutil.pid_exists(one.pid))


def reap(pids: Iterable[int], patience_s: float) -> None:
    """Wait for these processes to end; kill those that have not after `patience_s` seconds."""
    alive = []
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            alive.append(psutil.Process(pid))
    _, stubborn = psutil.wait_procs(alive, timeout=patience_s)
    for process in stubborn:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(stubborn, timeout=patience_s)

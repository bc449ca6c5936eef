"""The engine's child process: its environment before it starts, and that it never outlives us.

vLLM forks its core. A SIGKILL of the parent would leave that core waiting for ever, with the model in
memory, so the kernel is asked to end it with its parent (prctl(2), PR_SET_PDEATHSIG; Linux only). Ctrl-C in a
terminal is sent to the whole process group; the core leaves it, so that the parent decides when it ends.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache

import psutil

_PR_SET_PDEATHSIG = 1
_NAME = "EngineCore"
_ENVIRONMENT = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",  # the executor inside the core: a third process costs a minute
    "OMP_NUM_THREADS": "1",  # more threads were slower on small machines
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TRANSFORMERS_VERBOSITY": "error",
    "TOKENIZERS_PARALLELISM": "false",
    "TQDM_DISABLE": "1",
}
_starting = False


def prepare_environment() -> None:
    """Offline, quiet and quick to start; what the user has set stays. To be called before vLLM's import."""
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)


@contextmanager
def die_with_parent() -> Iterator[set[int]]:
    """Whatever is forked inside ends with the thread that forked it. Fills the set with the core's pids.

    The calling thread must live as long as the engine: the kernel watches the thread, not the process.
    """
    global _starting
    _install_hook()
    children: set[int] = set()
    _starting = True
    try:
        yield children
    finally:
        _starting = False
        children.update(one.pid for one in _cores() if one.pid is not None)


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


def _cores() -> list[multiprocessing.process.BaseProcess]:
    return [one for one in multiprocessing.active_children() if one.name.startswith(_NAME)]


@cache
def _install_hook() -> None:
    """Once a process: a fork hook cannot be taken back, so it acts only while an engine is starting."""
    os.register_at_fork(after_in_child=_in_child)


def _in_child() -> None:
    if not _starting:
        return
    with suppress(OSError):
        os.setpgid(0, 0)
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)

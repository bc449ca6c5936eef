"""vLLM's single-process executor, which ends with the process that started it. For vLLM's core only.

A SIGKILL of the parent would leave the core waiting for ever with the model in memory. Ctrl-C in a terminal
is sent to the whole process group; the core leaves it, so that the parent decides when it ends.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from contextlib import suppress

from vllm.v1.executor.uniproc_executor import UniProcExecutor


class GuardedExecutor(UniProcExecutor):
    """`UniProcExecutor`, bound to its parent's life."""

    def _init_executor(self) -> None:
        with suppress(OSError):
            os.setpgid(0, 0)
        follow_parent()
        super()._init_executor()


def follow_parent() -> None:
    """Kill this process as soon as the one that started it is gone, even if that is now."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=wait, name="follow-parent", daemon=True).start()

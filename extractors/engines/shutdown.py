"""A clean end for AsyncLLM, which otherwise logs its own shutdown as a failure.

Two of its tasks listen to the core. When the core is stopped under them they take that for its death, and
"output_handler failed" with an EngineDeadError is logged, or not, as the race goes. So they are ended first.
"""

from __future__ import annotations

import asyncio
from typing import Any

PATIENCE_S = 5.0


async def stop_listening(core: Any) -> None:
    """End the two tasks of this event loop that listen to the core: nothing more is awaited from it."""
    resources = getattr(core.engine_core, "resources", None)
    listening = (core.output_handler, getattr(resources, "output_queue_task", None))
    here = asyncio.get_running_loop()
    tasks = [task for task in listening if task is not None and task.get_loop() is here]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def shut_down(core: Any) -> None:
    """Shut an AsyncLLM down, once. Blocks for up to `PATIENCE_S` seconds."""
    core.shutdown(PATIENCE_S)
    # vLLM's own `__del__` would do it again as the interpreter ends, and complain of the loop that is gone.
    core.shutdown = _nothing


def _nothing(timeout: float | None = None) -> None:
    """It is closed already."""

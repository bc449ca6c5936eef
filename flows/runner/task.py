"""One shard as Prefect sees it: a task that has a worker do it, and waits."""

from __future__ import annotations

from typing import Any

import ray
from prefect import task
from prefect.cache_policies import NO_CACHE

from flows.runner.job import Reply
from schemas.errors import EngineError


class Refused(EngineError):
    """A worker could not do a shard. `host`, `reason`: which machine and why; `fatal`: no other could."""

    def __init__(self, host: str, reason: str, fatal: bool) -> None:
        super().__init__(f"worker on {host}: {reason}")
        self.host, self.reason, self.fatal = host, reason, fatal

    def __reduce__(self) -> tuple[type[Refused], tuple[str, str, bool]]:
        """It comes from another process."""
        return Refused, (self.host, self.reason, self.fatal)


@task(name="shard", task_run_name="shard {number}", cache_policy=NO_CACHE, persist_result=False)
def shard(number: str, worker: Any, part: bytes) -> Reply:  # noqa: ARG001  the number is in the task's name
    """Have a worker do a pickled part. Raises Refused, or what Ray raises where the worker was lost.

    Prefect does not try it again: which worker is to do that is not its to know.
    """
    reply: Reply = ray.get(worker.extract.remote(part))
    if reply.refused is not None:
        raise Refused(reply.host, reply.refused, reply.fatal)
    return reply

"""Prefect's tasks on Ray: how many shards a second the flow's process and Prefect's server keep up with."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any


def tasks(count: int, home: Path) -> dict[str, float]:
    """Hand out `count` shards that take no time, four at once, to a worker on this machine.

    Prefect's server is one process on SQLite, started for this. `submitted_per_s` is the flow's own part.
    """
    os.environ.update(PREFECT_HOME=str(home), PREFECT_LOGGING_LEVEL="WARNING", DO_NOT_TRACK="1")
    os.environ.update(PREFECT_SERVER_ANALYTICS_ENABLED="false")
    home.mkdir(parents=True)
    from prefect.testing.utilities import prefect_test_harness

    from flows.runner.cluster import cluster
    from flows.settings import Settings

    settings = Settings(home=home, runner="ray", workers=2)
    with prefect_test_harness(server_startup_timeout=200), cluster(settings) as runner:
        return _timed(count, runner)


def _timed(count: int, runner: Any) -> dict[str, float]:
    import ray
    from prefect_ray.context import remote_options

    from flows.runner.job import Reply
    from flows.runner.task import shard

    class Idle:
        def extract(self, part: bytes) -> Reply:  # noqa: ARG002
            return Reply()

    with remote_options(num_cpus=0):
        worker = ray.remote(num_cpus=0)(Idle).remote()

        def submit(number: int) -> Any:
            return runner.submit(shard, {"number": str(number), "worker": worker, "part": b""})

        for future in [submit(-1 - number) for number in range(4)]:
            future.wait()  # processes start, Prefect is imported
        open_: dict[Any, Any] = {}
        submitting, began = 0.0, time.perf_counter()
        for number in range(count):
            while len(open_) >= 4:
                ended, _ = ray.wait(list(open_), num_returns=1)
                for one in ended:
                    open_.pop(one).result()
            clock = time.perf_counter()
            future = submit(number)
            submitting += time.perf_counter() - clock
            open_[future.wrapped_future] = future
        for future in open_.values():
            future.result()
        seconds = time.perf_counter() - began
    return {
        "tasks": count,
        "done_per_s": round(count / seconds, 1),
        "submitted_per_s": round(count / submitting, 1),
        "server_lag_s": round(asyncio.run(_lag(count)), 1),
    }


async def _lag(count: int, patience_s: float = 120.0) -> float:
    """Seconds after the last task until Prefect's server knows the ends of all."""
    from prefect.client.orchestration import get_client

    began = time.perf_counter()
    ended = {"task_runs": {"state": {"type": {"any_": ["COMPLETED"]}}}}
    async with get_client() as client:
        while time.perf_counter() - began < patience_s:
            answer = await client.request("POST", "/task_runs/count", json=ended)
            if int(answer.json()) >= count:
                return time.perf_counter() - began
            await asyncio.sleep(0.5)
    return float("inf")

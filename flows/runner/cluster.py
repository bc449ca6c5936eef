"""Prefect's Ray task runner on the cluster that the settings name."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flows.runner.address import RAY, unreachable
from flows.settings import Settings

# Read by Ray when it is imported, here and in the processes that it starts.
_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS": "1", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}


@contextmanager
def cluster(settings: Settings) -> Iterator[Any]:
    """A task runner that is connected, or has started a cluster on this machine's loopback address.

    Raises SettingError where there is no cluster.
    """
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    import prefect_ray

    runner = prefect_ray.RayTaskRunner(**_where(settings))
    try:
        runner.__enter__()
    except (ConnectionError, RuntimeError, TimeoutError) as error:
        raise unreachable(settings.runner, str(error).splitlines()[0][:200]) from error
    try:
        with _reachable_prefect():
            yield runner
    finally:
        runner.__exit__(None, None, None)


def _where(settings: Settings) -> dict[str, Any]:
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    if settings.runner != RAY:
        return {"address": settings.runner, "init_kwargs": quiet}
    here = {
        "num_cpus": settings.workers,
        "include_dashboard": False,
        "_node_ip_address": "127.0.0.1",
        "object_store_memory": _OBJECT_STORE,
    }
    return {"address": "local", "init_kwargs": {**quiet, **here}}


_OBJECT_STORE = 256 * 2**20
"""Bytes. Only the job and parts of reruns pass through it; documents and shards do not."""


@contextmanager
def _reachable_prefect() -> Iterator[None]:
    """Where no Prefect server is set, the flow has one of its own: workers report to that one too."""
    from prefect.server.api.server import SubprocessASGIServer
    from prefect.settings import PREFECT_API_URL, temporary_settings

    if PREFECT_API_URL.value():
        yield
        return
    server = SubprocessASGIServer()  # the one that this process has started already
    server.start()
    with temporary_settings({PREFECT_API_URL: server.api_url}):
        yield

"""Prefect's Ray task runner on the cluster that the settings name."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flows.runner.address import RAY, prepare_environment, unreachable
from flows.settings import Settings


@contextmanager
def cluster(settings: Settings) -> Iterator[Any]:
    """A task runner that is connected, or has started a cluster on this machine's loopback address.

    Raises SettingError where there is no cluster.
    """
    prepare_environment(settings)
    runner = _entered(settings)
    try:
        with _reachable_prefect():
            yield runner
    finally:
        runner.__exit__(None, None, None)


def _entered(settings: Settings) -> Any:
    """A runner that is connected. A local cluster has a second try: a busy machine is slow to start one."""
    import prefect_ray
    import ray

    for tries_left in (settings.runner == RAY, False):
        runner = prefect_ray.RayTaskRunner(**_where(settings))
        try:
            with warnings.catch_warnings(action="ignore"):
                return runner.__enter__()
        except Exception as error:  # Ray raises a bare one where a node is slow to start
            ray.shutdown()
            if not tries_left:
                raise unreachable(settings.runner, (str(error).splitlines() or ["?"])[0][:200]) from error
    raise AssertionError("the last try returns or raises")


def _where(settings: Settings) -> dict[str, Any]:
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    if settings.runner != RAY:
        return {"address": settings.runner, "init_kwargs": quiet}
    here = {
        "num_cpus": settings.workers,
        "include_dashboard": False,
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

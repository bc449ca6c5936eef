"""Serves deployments from this process: waits for their times, and runs each as a process of its own."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence
from contextlib import suppress

import httpx
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate
from prefect.deployments.runner import RunnerDeployment
from prefect.exceptions import ObjectAlreadyExists, PrefectException
from prefect.runner import Runner

from flows.output import note, safe
from flows.secrets import redact
from flows.settings import Settings
from schemas.errors import SettingError

_AGAIN_AFTER_S = 10.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def serve(served: Sequence[RunnerDeployment], settings: Settings) -> None:
    """Until SIGINT or SIGTERM. Schedules are not paused then: what was missed is caught up at the next start.

    A server that goes away is waited for. Raises SettingError where it cannot be reached at the start.
    """
    try:
        _limit(settings)
        asyncio.run(_serve(served))
    except (httpx.HTTPError, PrefectException, RuntimeError) as error:
        raise SettingError(f"Prefect's server: {redact(str(error)) or type(error).__name__}") from error


async def _serve(served: Sequence[RunnerDeployment]) -> None:
    stopped = asyncio.Event()
    runner = await _runner(served)
    for one in served:
        note(f"serving {safe(str(one.name))}: {safe(_when(one))}")
    while not await _runs(runner, stopped):
        runner = await _patiently(served, stopped)


async def _runner(served: Sequence[RunnerDeployment]) -> Runner:
    """A runner that Prefect's server knows the deployments of."""
    runner = Runner(pause_on_shutdown=False, limit=None)
    for one in served:
        await runner.aadd_deployment(one)
    return runner


async def _runs(runner: Runner, stopped: asyncio.Event) -> bool:
    """Run until told to stop: True, with every flow run ended in good order; or until it gives up: False."""
    running = asyncio.create_task(runner.start())
    await asyncio.sleep(0)  # it sets its own handlers first, which would end us in the middle of anything
    for one in _SIGNALS:
        asyncio.get_running_loop().add_signal_handler(one, stopped.set)
    stopping = asyncio.create_task(stopped.wait())
    await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if stopped.is_set() and not running.done():
        with suppress(httpx.HTTPError, PrefectException, RuntimeError):
            await runner.astop()
    stopping.cancel()
    error = (await asyncio.gather(running, return_exceptions=True))[0]
    if error is not None and not stopped.is_set():
        note(f"assay: Prefect's runner gave up, and starts again: {safe(redact(str(error)))}")
    return stopped.is_set()


async def _patiently(served: Sequence[RunnerDeployment], stopped: asyncio.Event) -> Runner:
    """A new runner, as soon as the server is there again."""
    while True:
        with suppress(TimeoutError):
            await asyncio.wait_for(stopped.wait(), _AGAIN_AFTER_S)
        try:
            return await _runner(served)
        except (httpx.HTTPError, PrefectException, RuntimeError):
            if stopped.is_set():
                return Runner()


def _limit(settings: Settings) -> None:
    """The GPU's limit, made with one slot where Prefect does not know it; one that is there stays."""
    if settings.gpu_limit is None:
        return
    with get_client(sync_client=True) as client:
        try:
            limit = GlobalConcurrencyLimitCreate(name=settings.gpu_limit, limit=1)
            client.create_global_concurrency_limit(limit)
        except ObjectAlreadyExists:
            return


def _when(deployment: RunnerDeployment) -> str:
    return ", ".join(_told(one.schedule) for one in deployment.schedules or []) or "when started by hand"


def _told(schedule: object) -> str:
    rule = getattr(schedule, "cron", None) or getattr(schedule, "rrule", None)
    zone = getattr(schedule, "timezone", None)
    every = f"every {getattr(schedule, 'interval', '?')}" if rule is None else str(rule)
    return f"{every} ({zone or 'UTC'})"

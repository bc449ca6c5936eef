"""Serves deployments from this process: waits for their times, and runs each as a process of its own."""

from __future__ import annotations

from collections.abc import Sequence

import httpx
from prefect import serve as prefect_serve
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate
from prefect.deployments.runner import RunnerDeployment
from prefect.exceptions import ObjectAlreadyExists, PrefectHTTPStatusError

from flows.output import note, safe
from flows.settings import Settings
from schemas.errors import SettingError


def serve(served: Sequence[RunnerDeployment], settings: Settings) -> None:
    """Until SIGINT or SIGTERM. Schedules are not paused then: what was missed is caught up at the next start.

    Raises SettingError where the server cannot be reached at the start.
    """
    try:
        _limit(settings)
        for one in served:
            note(f"serving {safe(str(one.name))}: {safe(_when(one))}")
        prefect_serve(*served, pause_on_shutdown=False, print_starting_message=False)
    except (httpx.HTTPError, PrefectHTTPStatusError) as error:
        raise SettingError(f"Prefect's server: {error}") from error


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

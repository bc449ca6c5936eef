"""Whether and how a run is reported to Prefect.

A server that is set gets the run, with its state, parameters and artifacts. Without one, Prefect would
start a server of its own for the one flow: 12 to 29 seconds, and a process that outlives us when we are
killed. So the same run is then carried out directly; `ASSAY_PREFECT=always` asks for Prefect all the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

from flows.archived import Rerun
from flows.order import DocumentsFailed, Order, Summary
from flows.runner.address import LOCAL, check
from flows.secrets import redact
from flows.settings import Settings
from schemas.addresses import parts_of
from schemas.errors import SettingError

_QUIET = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    "PREFECT_LOGGING_LEVEL": "WARNING",
    "PREFECT_CLIENT_METRICS_ENABLED": "false",
}


def wants_prefect(settings: Settings) -> bool:
    """Whether this run goes through Prefect. Raises SettingError where its shards cannot run as set."""
    check(settings)
    if settings.runner != LOCAL:
        return True
    if settings.prefect == "auto":
        return bool(settings.prefect_api_url or os.environ.get("PREFECT_API_URL"))
    return settings.prefect == "always"


def prepare_environment(settings: Settings) -> None:
    """What Prefect reads when it is first imported: offline, quiet, its state under our home.

    Raises SettingError for a server that is set and cannot be had.
    """
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    home = Path(os.environ.setdefault("PREFECT_HOME", str((settings.home / "prefect").absolute())))
    try:
        home.mkdir(parents=True, exist_ok=True)  # Prefect makes no folder above it
    except OSError as error:
        raise SettingError(f"{home} cannot be used for Prefect: {error.strerror}: set ASSAY_HOME") from error
    if settings.prefect_api_url:
        os.environ["PREFECT_API_URL"] = settings.prefect_api_url
    if settings.prefect_api_key:
        os.environ["PREFECT_API_KEY"] = settings.prefect_api_key.get_secret_value()
    _greet()


def _greet() -> None:
    """Ask the server that is set for something: what is wrong is told in a line, before there is a run.

    Raises SettingError.
    """
    url = os.environ.get("PREFECT_API_URL")
    if url is None:
        return
    try:
        parts_of(url, "http", "https")  # else Prefect could not even be imported
    except ValueError as error:
        raise SettingError(f"PREFECT_API_URL: {error}, as in http://127.0.0.1:4200/api") from None
    import httpx
    from prefect.client.orchestration import get_client
    from prefect.exceptions import PrefectException

    try:
        with get_client(sync_client=True) as client:
            client.read_work_pools(limit=1)
    except (httpx.HTTPError, PrefectException, RuntimeError, OSError, ValueError) as error:
        raise SettingError(f"Prefect's server at {url}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    """What is wrong with the server, and what to do."""
    status = getattr(getattr(error, "response", None), "status_code", None)
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return "it does not let us in: set PREFECT_API_AUTH_STRING or PREFECT_API_KEY"
    if isinstance(error, ValueError) or status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED):
        return "no Prefect API answers there: PREFECT_API_URL ends in /api"
    said = str(error).partition("\n")[0] or type(error).__name__
    return f"{redact(said)}: start it, or leave PREFECT_API_URL out"


def through_prefect(order: Order, settings: Settings) -> Summary:
    """Run the flow `extract`; its summary, also where the flow is marked as failed.

    Raises SettingError where the server that is set cannot be reached.
    """
    prepare_environment(settings)
    from flows.deployments.extract import extract
    from flows.deployments.parameters import Extract

    return _reported(
        lambda: extract(
            Extract(
                schema_version=order.schema,
                source=order.source,
                decoding=order.decoding,
                limit=order.limit,
                retry=sorted(order.retry),
                scoring=order.scoring,
                purged=order.purged,
            )
        )
    )


def rerun_through_prefect(rerun: Rerun, settings: Settings) -> Summary:
    """The same for the flow `rerun`."""
    prepare_environment(settings)
    from flows.deployments.parameters import Rerun as Job
    from flows.deployments.rerun import rerun as flow

    order, selection = rerun.order, rerun.selection
    return _reported(
        lambda: flow(
            Job(
                schema_version=order.schema,
                decoding=order.decoding,
                from_run=selection.run,
                since=selection.since,
                statuses=sorted(selection.statuses),
                where=selection.where,
                limit=order.limit,
                reread=rerun.reread,
                again=order.again,
                scoring=order.scoring,
            )
        )
    )


def _reported(flow: Callable[[], Summary]) -> Summary:
    try:
        return flow()
    except DocumentsFailed as error:
        return error.summary
    except RuntimeError as error:  # Prefect has no type of its own for this
        if not str(error).startswith("Failed to reach API"):
            raise
        raise SettingError(f"{error}: start that Prefect server, or set ASSAY_PREFECT=never") from None

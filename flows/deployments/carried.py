"""What the flows share: their settings, their GPU, and what they tell Prefect."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

from prefect import runtime
from prefect.concurrency.sync import concurrency
from prefect.states import Failed

from flows import artifacts, events, logs
from flows.order import DocumentsFailed, Summary
from flows.output import note, safe
from flows.plan import Plan
from flows.run import carry_out
from flows.secrets import redact
from flows.servers import EMBEDDED
from flows.settings import Settings, load
from schemas.errors import AssayError, SettingError, UsageError

T = TypeVar("T")
_LOG = logging.getLogger(__name__)

UNATTENDED_WAIT_S = 12 * 3600.0
"""How long a run waits for another one in its home, where nobody set that: nobody is there to try again."""


def attempt(work: Callable[[], T]) -> T | Any:
    """What a flow gives back: its result, or a failed state that says why in a line, and quotes no document.

    Prefect raises the state's error where the flow was called; one that is raised here would be a traceback.
    """
    for name in ("prefect.engine", "prefect.flow_runs"):
        logging.getLogger(name).addFilter(_without_traceback)  # the same filter is added once
    try:
        return work()
    except AssayError as error:
        told = safe(redact(str(error)))
        if runtime.deployment.id:  # else it is told where the flow was called
            note(f"assay: {told}")
        if not isinstance(error, DocumentsFailed):
            events.not_begun(told)
        return Failed(message=told, data=error)
    except Exception as error:  # noqa: BLE001  Prefect would send its message to its server
        _LOG.exception("a flow broke off")
        told = f"{type(error).__name__}: a fault in Assay; the worker's log says where"
        events.not_begun(told)
        return Failed(message=told, data=error)


def _without_traceback(record: logging.LogRecord) -> bool:
    """Prefect's lines go to its server: what a person can put right needs none there, and any other may quote
    a document. Our own log tells where it was raised.
    """
    record.exc_info = None
    return True


def settings_here() -> Settings:
    """The settings of this process. Raises SettingError in a deployment without roots.

    Whoever may fill in a deployment's form could otherwise have any file of the worker read.
    """
    settings = load()
    logs.use(settings.log)
    if not runtime.deployment.id:
        return settings
    if not settings.roots:
        raise SettingError(
            "ASSAY_ROOTS is not set: a deployment reads only below the folders and prefixes that are named "
            "there, such as ASSAY_ROOTS=/srv/invoices,s3://inbox/2026/"
        )
    return settings if "wait" in settings.model_fields_set else load(wait=UNATTENDED_WAIT_S)


def source_of(given: str | None, settings: Settings) -> str:
    """The source that was asked for, else the only root. Raises UsageError where there is not one."""
    if given is not None:
        return given
    if len(settings.roots) != 1:
        raise UsageError(
            f"no source was named, and ASSAY_ROOTS has {len(settings.roots)} roots: name one of them"
        )
    return settings.roots[0]


@contextmanager
def gpu_slot(settings: Settings) -> Iterator[None]:
    """Holds one slot of Prefect's concurrency limit `gpu_limit` while the embedded engine is in use.

    Waits for it. A limit that Prefect does not know limits nothing. A lease that cannot be renewed, because
    Prefect's server is away, ends no run: the night's work is worth more than the count.
    """
    if settings.gpu_limit is None or settings.engine != EMBEDDED:
        yield
        return
    with concurrency(settings.gpu_limit, occupy=1, strict=False, raise_on_lease_renewal_failure=False):
        yield


def carried(planned: AbstractContextManager[Plan]) -> Summary:
    """Carry out a plan, with its artifacts and its event.

    Raises DocumentsFailed where the flow run is to count as failed.
    """
    with planned as plan, gpu_slot(plan.settings) if plan.todo else nullcontext():
        summary = carry_out(plan, watch=artifacts.progress)
    artifacts.summed_up(summary, plan.settings)
    events.told(summary, plan.schema.ref)
    if summary.exit_code:
        raise DocumentsFailed(summary)
    return summary

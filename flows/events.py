"""What Prefect's automations can act on: `assay.run.failed`, `.quarantined` and so on, `assay.flow.failed`.

An event names the run and its figures. Its message comes from our own errors, is one line and shortened; no
text of a document is in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prefect import runtime
from prefect.events import emit_event

from flows.order import Summary
from flows.output import safe
from flows.secrets import redact
from schemas.records import Status

_LONGEST = 1000


def emit(ending: str, run_id: str, payload: Mapping[str, Any]) -> None:
    """`assay.run.ENDING` about a run, related to the flow run that it is told by."""
    _emit(f"assay.run.{ending}", f"assay.run.{run_id}", f"run {run_id}", payload)


def not_begun(message: str) -> None:
    """`assay.flow.failed`: a flow that failed before there was a run.

    Prefect has an event of its own for that, which its automations may see a quarter of an hour late: where a
    run was scheduled shortly before its start, they wait for the event of that, and there is none.
    """
    if runtime.flow_run.id:
        about = f"assay.flow.{runtime.flow_run.id}"
        _emit("assay.flow.failed", about, str(runtime.flow_run.name), {"message": message})


def _emit(event: str, about: str, name: str, payload: Mapping[str, Any]) -> None:
    told = {key: _short(value) if isinstance(value, str) else value for key, value in payload.items()}
    resource = {"prefect.resource.id": about, "prefect.resource.name": _short(name)}
    emit_event(event, resource, related=_related(), payload=told)


def _short(text: str) -> str:
    return safe(redact(text))[:_LONGEST]


def _related() -> list[dict[str, str]]:
    flow_run = runtime.flow_run.id
    if not flow_run:
        return []
    return [{"prefect.resource.id": f"prefect.flow-run.{flow_run}", "prefect.resource.role": "flow-run"}]


def told(summary: Summary, schema: str) -> None:
    """The event of a run's ending; none where there was nothing to do."""
    if summary.run_id is None:
        return
    counts = {str(status): summary.statuses.get(status, 0) for status in Status}
    page = None if summary.report is None else summary.report.name
    payload = {
        "schema": schema,
        "documents": summary.documents,
        **counts,
        "engine_failures": summary.engine_failures,
        "message": summary.message or "",
        "report": page,
    }
    emit(summary.status, summary.run_id, payload)

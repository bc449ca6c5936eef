"""What Prefect's automations can act on: `assay.run.finished`, `.failed`, `.quarantined`, and the like.

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
from schemas.records import Status

_LONGEST = 1000


def emit(ending: str, run_id: str, payload: Mapping[str, Any]) -> None:
    """`assay.run.ENDING` about a run, related to the flow run that it is told by."""
    told = {key: _short(value) if isinstance(value, str) else value for key, value in payload.items()}
    resource = {"prefect.resource.id": f"assay.run.{run_id}", "prefect.resource.name": f"run {run_id}"}
    emit_event(f"assay.run.{ending}", resource, related=_related(), payload=told)


def _short(text: str) -> str:
    return safe(text)[:_LONGEST]


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

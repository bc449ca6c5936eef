"""The flow `extract`, as Prefect sees it: decide, carry out, report. All else is in the stages themselves.

No task for each document: one costs 10 to 100 ms, and what is done is known by the warehouse, not by Prefect.
"""

from __future__ import annotations

from typing import Annotated, Literal

from prefect import flow
from prefect.artifacts import create_table_artifact
from prefect.exceptions import PrefectException
from pydantic import Field

from flows.order import DocumentsFailed, Order, Summary
from flows.output import note
from flows.plan import planned
from flows.run import carry_out
from flows.settings import load
from schemas.decoding import Scoring
from schemas.records import Status


@flow(
    name="extract", flow_run_name="{schema_version} {source}", validate_parameters=True, persist_result=False
)
def extract(
    source: str,
    schema_version: str,  # `schema` is a name that Pydantic's models, which Prefect makes of this, own
    decoding: str | None = None,
    limit: Annotated[int, Field(ge=1)] | None = None,
    retry: list[Literal["failed", "rejected"]] | None = None,
    scoring: Scoring | None = None,
    purged: bool = False,
) -> Summary:
    """Extract what is new in `source` under `schema_version` (`invoice@2`) and land it.

    Raises DocumentsFailed where documents got no answer for the engine's sake: the flow run is then failed.
    """
    statuses = frozenset(map(Status, retry or []))
    order = Order(source, schema_version, decoding, limit, statuses, scoring=scoring, purged=purged)
    with planned(order, load()) as plan:
        summary = carry_out(plan)
    return ended(summary)


def ended(summary: Summary) -> Summary:
    """The same, reported. Raises DocumentsFailed where the flow run is to count as failed."""
    report(summary)
    if summary.exit_code:
        raise DocumentsFailed(summary)
    return summary


def report(summary: Summary) -> None:
    """The run's counts as a table beside the flow run. A server that is gone by now costs the table only."""
    counts = {str(status): summary.statuses.get(status, 0) for status in Status}
    row = {"run": summary.run_id, "status": summary.status, **counts, "skipped": summary.skipped}
    try:
        create_table_artifact(table=[row], key="extraction", description=summary.message)
    except (PrefectException, OSError) as error:
        note(f"assay: Prefect has no table of this run: {error}")

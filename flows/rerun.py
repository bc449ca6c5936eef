"""The flow `rerun`, as Prefect sees it: archived documents under any recipe, without their storage."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from prefect import flow
from pydantic import Field

from flows.archived import asked, planned_rerun
from flows.extract import ended
from flows.order import Summary
from flows.run import carry_out
from flows.settings import load
from schemas.records import Status


@flow(name="rerun", flow_run_name="{schema_version}", validate_parameters=True, persist_result=False)
def rerun(  # each parameter is a field of the form that Prefect makes of this
    schema_version: str,
    decoding: str | None = None,
    from_run: str | None = None,
    since: datetime | None = None,
    statuses: list[Status] | None = None,
    where: str | None = None,
    limit: Annotated[int, Field(ge=1)] | None = None,
    reread: bool = False,
    again: bool = False,
) -> Summary:
    """Extract archived documents under `schema_version` (`invoice@2`) and land them beside what is there.

    Raises DocumentsFailed where documents got no answer for the engine's sake: the flow run is then failed.
    """
    asked_for = asked(
        schema_version,
        decoding,
        from_run=from_run,
        since=since,
        statuses=statuses or (),
        where=where,
        limit=limit,
        reread=reread,
        again=again,
    )
    with planned_rerun(asked_for, load()) as plan:
        summary = carry_out(plan)
    return ended(summary)

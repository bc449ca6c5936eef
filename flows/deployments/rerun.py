"""The flow `rerun`: archived documents under any recipe, without their storage."""

from __future__ import annotations

from typing import Any

from prefect import flow

from flows.archived import asked, planned_rerun
from flows.deployments.carried import attempt, carried, settings_here
from flows.deployments.parameters import Rerun
from flows.order import Summary


@flow(
    name="rerun",
    flow_run_name="rerun {job.schema_version} {job.day}",
    validate_parameters=True,
    persist_result=False,
)
def rerun(job: Rerun) -> Summary | Any:
    """Extract archived documents under a schema version and land them beside what is there.

    It fails as the flow `extract` does.
    """
    return attempt(lambda: _rerun(job))


def _rerun(job: Rerun) -> Summary:
    asked_for = asked(
        job.schema_version,
        job.decoding,
        from_run=job.from_run,
        since=job.since,
        statuses=job.statuses,
        where=job.where,
        limit=job.limit,
        reread=job.reread,
        again=job.again,
        scoring=job.scoring,
    )
    return carried(planned_rerun(asked_for, settings_here()))

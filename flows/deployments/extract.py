"""The flow `extract`: what is new in storage, under one schema version.

No task for each document: one costs 10 to 100 ms, and what is done is known by the warehouse, not by Prefect.
"""

from __future__ import annotations

from typing import Any

from prefect import flow

from flows.deployments.carried import attempt, carried, settings_here, source_of
from flows.deployments.parameters import Extract
from flows.order import Order, Summary
from flows.plan import planned
from schemas.records import Status


@flow(
    name="extract",
    flow_run_name="extract {job.schema_version} {job.day}",
    validate_parameters=True,
    persist_result=False,
)
def extract(job: Extract) -> Summary | Any:
    """Extract what is new in a folder or bucket under a schema version, check it, and land it.

    It fails, and a call raises the error, with DocumentsFailed where documents got no answer for the engine's
    sake or the gate failed, with UsageError for what cannot be asked.
    """
    return attempt(lambda: _extract(job))


def _extract(job: Extract) -> Summary:
    settings = settings_here()
    order = Order(
        source_of(job.source, settings),
        job.schema_version,
        job.decoding,
        job.limit,
        frozenset(map(Status, job.retry)),
        scoring=job.scoring,
        purged=job.purged,
    )
    return carried(planned(order, settings))

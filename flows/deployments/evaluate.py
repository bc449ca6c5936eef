"""The flow `evaluate`: decodings measured against labels, week after week."""

from __future__ import annotations

from typing import Any

from prefect import flow

from flows import evaluate as evaluating
from flows.artifacts import evaluated
from flows.deployments.carried import attempt, gpu_slot, settings_here
from flows.deployments.parameters import Evaluate
from flows.evaluation.asked import Asked
from flows.evaluation.page import write_page


@flow(
    name="evaluate",
    flow_run_name="evaluate {job.schema_version} {job.day}",
    validate_parameters=True,
    persist_result=False,
)
def evaluate(job: Evaluate) -> str | Any:
    """Measure decodings against labels, record it, write its page; gives the evaluation's id.

    It fails with DocumentsFailed where a run was stopped or got no answers, with UsageError for what
    cannot be asked.
    """
    return attempt(lambda: _evaluate(job))


def _evaluate(job: Evaluate) -> str:
    settings = settings_here()
    with gpu_slot(settings):
        evaluation = evaluating.evaluate(asked(job), settings)
    page = settings.reports / f"evaluation-{evaluation.evaluation_id}.html"
    write_page(evaluation, page)
    evaluated(evaluation, page, settings)
    return evaluation.evaluation_id


def asked(job: Evaluate) -> Asked:
    """The same in the words of the command."""
    return Asked(
        labels=job.labels,
        schema=job.schema_version,
        decodings=tuple(job.decodings),
        samples=job.samples,
        repeats=job.repeats,
        limit=job.limit,
        seed=job.seed,
        locale=job.locale,
        documents=job.documents,
    )

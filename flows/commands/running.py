"""What the running commands share: carry out a plan or list it, and sum up."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Annotated

import typer

from flows import logs
from flows.output import note, safe, say, say_json
from schemas.records import Status

if TYPE_CHECKING:
    from flows.order import Summary
    from flows.plan import Plan
    from flows.settings import Settings

Scored = Annotated[
    str | None, typer.Option(help="Whose answers are scored without the mask: off, flagged, sample, all.")
]


def run(
    planned: AbstractContextManager[Plan], settings: Settings, through_prefect: Callable[[], Summary]
) -> Summary:
    """Through Prefect where a server is set, else right here. Prefect is loaded only where there is work."""
    from flows.plan import nothing_to_do
    from flows.reporting import wants_prefect

    logs.use(settings.log)
    with planned as plan:
        if not plan.todo:
            return nothing_to_do(plan)
        note(f"{len(plan.todo)} of {plan.listed} documents to do under {plan.schema.ref}")
        if not wants_prefect(settings):
            from flows.run import carry_out

            return carry_out(plan)
    return through_prefect()


def list_plan(plan: Plan, as_json: bool) -> None:
    """What a run would do, for `--dry-run`."""
    if as_json:
        say_json(_as_rows(plan))
        return
    for blob in plan.todo:
        say(f"{safe(blob.uri)}  {blob.size} bytes")
    note(f"{len(plan.todo)} to do, {plan.skipped} done before, recipe {plan.recipe.recipe_id}")


def _as_rows(plan: Plan) -> dict[str, object]:
    todo = [{"uri": blob.uri, "bytes": blob.size} for blob in plan.todo]
    recipe = plan.recipe.recipe_id
    return {"recipe_id": recipe, "listed": plan.listed, "skipped": plan.skipped, "todo": todo}


def sum_up(summary: Summary, as_json: bool) -> None:
    """How a run ended: counts on stdout, its message on stderr."""
    counts = {str(status): summary.statuses.get(status, 0) for status in Status}
    if as_json:
        head = {"run_id": summary.run_id, "status": summary.status, "documents": summary.documents}
        tail = {"skipped": summary.skipped, "tokens": summary.tokens, "seconds": round(summary.seconds, 2)}
        page = None if summary.report is None else str(summary.report)
        say_json({**head, **counts, **tail, "message": summary.message, "report": page})
        return
    if summary.run_id is None:
        again = "; `assay rerun --again` does archived ones once more" if summary.skipped else ""
        done = f"{summary.skipped} of {summary.listed} documents are done under this recipe"
        say(f"nothing to do: {done}{again}")
        return
    told = ", ".join(f"{count} {name}" for name, count in counts.items())
    ended = f"run {summary.run_id} {summary.status}: {summary.documents} documents"
    say(f"{ended} ({told}) in {summary.seconds:.1f} s")
    if summary.report:
        note(f"its report: {safe(str(summary.report))}")
    if summary.message:
        note(f"assay: {safe(summary.message)}")

"""`assay extract`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.asking import AsJson
from flows.output import note, safe, say, say_json
from schemas.errors import UsageError
from schemas.records import Status

if TYPE_CHECKING:
    from flows.order import Order, Summary
    from flows.plan import Plan
    from flows.settings import Settings

RETRIED = (Status.FAILED, Status.REJECTED)


def extract(
    source: Annotated[str, typer.Argument(help="A file, folder, glob, or s3://, gs://, az:// address.")],
    schema: Annotated[str, typer.Option(help="Schema version, such as invoice@2.")],
    decoding: Annotated[
        str | None, typer.Option(help="How text is drawn: see `assay decodings list`.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Look at no more than so many documents.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List what would be done, and do nothing.")
    ] = False,
    retry: Annotated[
        list[str] | None, typer.Option(help="Do again what ended so: failed or rejected. May be repeated.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Extract what is new in SOURCE under a schema, check it, and land it.

    Exit 0: done. 1: documents got no answer for the engine's sake. 2: wrongly asked. 130: stopped.
    """
    from flows.order import Order
    from flows.settings import load

    order = Order(source, schema, decoding, limit, statuses(retry or []))
    settings = load()
    if dry_run:
        _list(order, settings, as_json)
        return
    summary = _run(order, settings)
    _sum_up(summary, as_json)
    raise typer.Exit(summary.exit_code)


def statuses(given: list[str]) -> frozenset[Status]:
    """The statuses that `--retry` names. Raises UsageError for others."""
    for name in given:
        if name not in RETRIED:
            raise UsageError(f"--retry {name}: choose failed or rejected")
    return frozenset(map(Status, given))


def _run(order: Order, settings: Settings) -> Summary:
    """Through Prefect where a server is set, else right here. Prefect is loaded only where there is work."""
    from flows.plan import nothing_to_do, planned
    from flows.reporting import wants_prefect

    with planned(order, settings) as plan:
        if not plan.todo:
            return nothing_to_do(plan)
        note(f"{len(plan.todo)} of {plan.listed} documents to do under {plan.schema.ref}")
        if not wants_prefect(settings):
            from flows.run import carry_out

            return carry_out(plan)
    from flows.reporting import through_prefect

    return through_prefect(order, settings)


def _list(order: Order, settings: Settings, as_json: bool) -> None:
    from flows.plan import plan

    decided = plan(order, settings)
    if as_json:
        say_json(_as_rows(decided))
        return
    for blob in decided.todo:
        say(f"{safe(blob.uri)}  {blob.size} bytes")
    note(f"{len(decided.todo)} to do, {decided.skipped} done before, recipe {decided.recipe.recipe_id}")


def _as_rows(decided: Plan) -> dict[str, object]:
    todo = [{"uri": blob.uri, "bytes": blob.size} for blob in decided.todo]
    recipe = decided.recipe.recipe_id
    return {"recipe_id": recipe, "listed": decided.listed, "skipped": decided.skipped, "todo": todo}


def _sum_up(summary: Summary, as_json: bool) -> None:
    counts = {str(status): summary.statuses.get(status, 0) for status in Status}
    if as_json:
        head = {"run_id": summary.run_id, "status": summary.status, "documents": summary.documents}
        tail = {"skipped": summary.skipped, "tokens": summary.tokens, "seconds": round(summary.seconds, 2)}
        say_json({**head, **counts, **tail, "message": summary.message})
        return
    if summary.run_id is None:
        say(f"nothing to do: {summary.skipped} of {summary.listed} documents are done under this recipe")
        return
    told = ", ".join(f"{count} {name}" for name, count in counts.items())
    ended = f"run {summary.run_id} {summary.status}: {summary.documents} documents"
    say(f"{ended} ({told}) in {summary.seconds:.1f} s")
    if summary.message:
        note(f"assay: {safe(summary.message)}")

"""`assay extract`"""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from flows.commands.asking import AsJson
from flows.commands.running import Scored, list_plan, run, sum_up
from schemas.errors import UsageError
from schemas.records import Status

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
    scoring: Scored = None,
    materialise: Annotated[
        bool | None,
        typer.Option(help="Keep a typed table of all answers under this schema version, or no longer."),
    ] = None,
    purged: Annotated[bool, typer.Option("--purged", help="Take up again what was purged.")] = False,
    as_json: AsJson = False,
) -> None:
    """Extract what is new in SOURCE under a schema, check it, and land it.

    Exit 0: done. 1: documents got no answer for the engine's sake. 2: wrongly asked. 3: the gate failed.
    130: stopped.
    """
    from flows.order import Order
    from flows.plan import plan, planned
    from flows.reporting import through_prefect
    from flows.settings import load
    from flows.typed import keep_typed

    settings = load(scoring=scoring)
    order = Order(
        source, schema, decoding, limit, statuses(retry or []), scoring=settings.scoring, purged=purged
    )
    if dry_run:
        list_plan(plan(order, settings), as_json)
        return
    if materialise is not None:
        keep_typed(settings, schema, materialise)
    summary = run(planned(order, settings), settings, partial(through_prefect, order, settings))
    sum_up(summary, as_json)
    raise typer.Exit(summary.exit_code)


def statuses(given: list[str]) -> frozenset[Status]:
    """The statuses that `--retry` names. Raises UsageError for others."""
    for name in given:
        if name not in RETRIED:
            raise UsageError(f"--retry {name}: choose failed or rejected")
    return frozenset(map(Status, given))

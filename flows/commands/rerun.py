"""`assay rerun`"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Annotated

import typer

from flows.commands.asking import AsJson, resolve_run, warehouse
from flows.commands.running import Scored, list_plan, run, sum_up
from schemas.errors import UsageError
from schemas.records import Status


def rerun(
    schema: Annotated[str, typer.Option(help="Schema version, such as invoice@2.")],
    decoding: Annotated[
        str | None, typer.Option(help="How text is drawn: see `assay decodings list`.")
    ] = None,
    from_run: Annotated[str | None, typer.Option(help="Only the documents of this run.")] = None,
    since: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"], help="Only documents first seen since, UTC."),
    ] = None,
    status: Annotated[
        str | None,
        typer.Option(help="Only documents that ended so in that run, or now: flagged,rejected or the like."),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(help='A condition in SQL over document and outcome: "bytes > 1000".'),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Do no more than so many documents.")] = None,
    reread: Annotated[bool, typer.Option("--reread", help="Take the text from the bytes again.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Do also what is done under this recipe.")] = False,
    scoring: Scored = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List what would be done, and do nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Extract archived documents under any schema version and decoding, without their storage.

    Old results stay; new ones stand beside them. The bytes are verified; a damaged document is `unreadable`.
    Exit 0: done. 1: documents got no answer for the engine's sake. 2: wrongly asked. 130: stopped.
    """
    from flows.archived import asked, plan_rerun, planned_rerun
    from flows.reporting import rerun_through_prefect
    from flows.settings import load

    warehouse()  # there must be one
    settings = load(scoring=scoring)
    asked_for = asked(
        schema,
        decoding,
        from_run=None if from_run is None else resolve_run(from_run),
        since=None if since is None else since.replace(tzinfo=UTC),
        statuses=statuses(status),
        where=where,
        limit=limit,
        reread=reread,
        again=again,
        scoring=settings.scoring,
    )
    if dry_run:
        list_plan(plan_rerun(asked_for, settings), as_json)
        return
    planned = planned_rerun(asked_for, settings)
    summary = run(planned, settings, partial(rerun_through_prefect, asked_for, settings))
    sum_up(summary, as_json)
    raise typer.Exit(summary.exit_code)


def statuses(given: str | None) -> list[Status]:
    """The statuses in a comma-separated list. Raises UsageError for a word that is none."""
    names = [name.strip() for name in (given or "").split(",") if name.strip()]
    for name in names:
        if name not in list(Status):
            raise UsageError(f"--status {name}: choose of {', '.join(Status)}")
    return [Status(name) for name in names]

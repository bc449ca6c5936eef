"""`assay runs` and `assay runs release`"""

from __future__ import annotations

from typing import Annotated

import typer

from flows.commands.asking import AsJson, answer, resolve_run, warehouse
from flows.output import say, say_json, say_rows

COLUMNS = (
    "run_id",
    "status",
    "schema",
    "documents",
    "accepted",
    "flagged",
    "rejected",
    "failed",
    "started_at",
    "seconds",
    "source",
)
app = typer.Typer(help="List the runs; let one out of quarantine.", rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def runs(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, help="How many, newest first.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the runs, newest first."""
    if context.invoked_subcommand is None:
        from warehouse.listings import runs as listed

        say_rows(answer(listed(limit)), COLUMNS, as_json)


@app.command()
def release(
    run: Annotated[str, typer.Argument(help="The beginning of its id is enough.")], as_json: AsJson = False
) -> None:
    """Let a run that failed the gate count again: its extractions become current where they are newest."""
    run_id = resolve_run(run)
    warehouse().release(run_id)
    if as_json:
        say_json({"run_id": run_id, "released": True})
    else:
        say(f"run {run_id} counts again")

"""`assay failures`"""

from __future__ import annotations

from typing import Annotated

import typer

from flows.commands.asking import AsJson, ask, resolve_run
from flows.output import say_rows

COLUMNS = ("level", "category", "documents", "share", "example")
_ALL = "SELECT * FROM failures"
_OF_RUN = "SELECT * FROM failures_by_run WHERE run_id = $run"


def failures(
    run: Annotated[str | None, typer.Option(help="One run: the beginning of its id is enough.")] = None,
    as_json: AsJson = False,
) -> None:
    """Count what did not succeed, by level and category; without --run, of what is current."""
    rows = ask(_ALL) if run is None else ask(_OF_RUN, {"run": resolve_run(run)})
    say_rows(rows, COLUMNS, as_json)

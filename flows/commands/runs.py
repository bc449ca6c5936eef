"""`assay runs`"""

from __future__ import annotations

from typing import Annotated

import typer

from flows.commands.asking import AsJson, ask
from flows.output import say_rows

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
_SQL = "SELECT * FROM run_summary ORDER BY run_id DESC LIMIT $limit"


def runs(
    limit: Annotated[int, typer.Option(min=1, help="How many, newest first.")] = 20, as_json: AsJson = False
) -> None:
    """List the runs, newest first."""
    say_rows(ask(_SQL, {"limit": limit}), COLUMNS, as_json)

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
_SQL = """
SELECT r.run_id, r.status, r.schema, r.recipe_id, r.source, r.started_at, r.finished_at,
    round(epoch(coalesce(r.finished_at, r.heartbeat_at) - r.started_at), 1) AS seconds, r.message,
    count(e.document_id) AS documents,
    count(*) FILTER (e.status = 'accepted') AS accepted, count(*) FILTER (e.status = 'flagged') AS flagged,
    count(*) FILTER (e.status = 'rejected') AS rejected, count(*) FILTER (e.status = 'failed') AS failed
FROM runs r LEFT JOIN extractions e USING (run_id)
GROUP BY ALL ORDER BY r.run_id DESC LIMIT $limit
"""


def runs(
    limit: Annotated[int, typer.Option(min=1, help="How many, newest first.")] = 20, as_json: AsJson = False
) -> None:
    """List the runs, newest first."""
    say_rows(ask(_SQL, {"limit": limit}), COLUMNS, as_json)

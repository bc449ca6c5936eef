"""`assay failures`"""

from __future__ import annotations

from typing import Annotated

import typer

from flows.commands.asking import AsJson, ask, resolve_run
from flows.output import say_rows

COLUMNS = ("status", "level", "category", "documents", "share", "example")
_SQL = """
WITH latest AS (
    SELECT * FROM extractions
    WHERE $run IS NULL OR run_id = $run
    QUALIFY row_number() OVER (
        PARTITION BY document_id, recipe_id ORDER BY finished_at DESC, run_id DESC) = 1)
SELECT latest.status, latest.level, latest.category, count(*) AS documents,
    round(count(*) / (SELECT count(*) FROM latest), 4) AS share,
    min(coalesce(d.uri, latest.document_id)) AS example, any_value(latest.message) AS message
FROM latest LEFT JOIN documents d USING (document_id)
WHERE latest.status <> 'accepted'
GROUP BY ALL ORDER BY documents DESC, ALL
"""


def failures(
    run: Annotated[str | None, typer.Option(help="One run: the beginning of its id is enough.")] = None,
    as_json: AsJson = False,
) -> None:
    """Count what did not succeed, by level and category; without --run, each document's latest outcome."""
    rows = ask(_SQL, {"run": None if run is None else resolve_run(run)})
    say_rows(rows, COLUMNS, as_json)

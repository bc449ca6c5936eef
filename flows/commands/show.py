"""`assay show`"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from flows.commands.asking import AsJson, resolve_run, warehouse
from flows.output import safe, say, say_json
from schemas.errors import UsageError


def show(
    document: Annotated[str, typer.Argument(help="The beginning of its id, its address, or its file name.")],
    run: Annotated[str | None, typer.Option(help="One run; without it, the outcome that counts.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show a document's answer: each value with its source line, its span marked, and all findings.

    What a person decided on it stands beside the values.
    """
    from flows.show import render

    row = outcome(find(document), None if run is None else resolve_run(run))
    if as_json:
        return say_json(_told(row))
    for line in render(row):
        say(line)
    return None


def find(given: str) -> str:
    """The one document_id that `given` means. Raises UsageError where none or several do, or it is purged."""
    from flows.commands.missing import no_document
    from warehouse.shown import called

    local = Path(given).absolute().as_posix()
    with warehouse().asking() as ask:
        rows = called(ask, given) or called(ask, local)
        if not rows:
            raise no_document(ask, given)
    if len(rows) > 1:
        some = ", ".join(f"{row['document_id'][:12]} ({safe(row['uri'])})" for row in rows[:5])
        raise UsageError(f"{safe(given)!r} is more than one document: {some}")
    return str(rows[0]["document_id"])


def outcome(document_id: str, run_id: str | None) -> dict[str, Any]:
    """What `warehouse.shown.outcome` gives. Raises UsageError where there is none."""
    from warehouse.shown import outcome

    with warehouse().asking() as ask:
        row = outcome(ask, document_id, run_id)
    if row is None:
        raise UsageError(f"document {document_id[:12]} has no extraction{' in that run' if run_id else ''}")
    return row


def _told(row: dict[str, Any]) -> dict[str, Any]:
    """The row for programs: without the text, answers and corrections as JSON."""
    told = {name: value for name, value in row.items() if name not in {"text", "page_starts"}}
    decisions = [{**one, "value": _parsed(one["value"])} for one in row["decisions"]]
    drawn = row["drawn"] and {**row["drawn"], "value": _parsed(row["drawn"]["value"])}
    return {**told, "value": _parsed(row["value"]), "drawn": drawn, "decisions": decisions}


def _parsed(text: str | None) -> Any:
    return None if text is None else json.loads(text)

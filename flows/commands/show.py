"""`assay show`"""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from flows.commands.asking import AsJson, ask, resolve_run
from flows.output import safe, say, say_json
from schemas.errors import UsageError

_DOCUMENTS = """
SELECT document_id, min(uri) AS uri FROM (
    SELECT document_id, uri FROM documents UNION ALL SELECT document_id, uri FROM sightings)
WHERE starts_with(document_id, lower($given)) OR uri = $given OR ends_with(uri, '/' || $given)
GROUP BY document_id ORDER BY uri LIMIT 6
"""
_OUTCOME = """
SELECT d.document_id, d.uri, d.parent_id, d.media_type, d.bytes, d.text, d.page_starts, d.reader,
    e.run_id, e.recipe_id, e.schema, e.status, e.level, e.category, e.message, e.value, e.attempts,
    e.attempt_id
FROM extractions e JOIN documents d USING (document_id)
WHERE e.document_id = $document AND ($run IS NULL OR e.run_id = $run)
ORDER BY e.finished_at DESC, e.run_id DESC LIMIT 1
"""
_PARTS = {
    "fields": "pointer, value, is_null, grounding, score, span_start, span_end, logprob, removed_mass",
    "findings": "level, rule, pointer, severity, category, message, expected, found, span_start, span_end",
}


def show(
    document: Annotated[str, typer.Argument(help="The beginning of its id, its address, or its file name.")],
    run: Annotated[str | None, typer.Option(help="One run; without it, the latest outcome.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show a document's answer: each value with its source line, its span marked, and all findings."""
    from flows.show import render

    row = outcome(find(document), None if run is None else resolve_run(run))
    if as_json:
        answer = None if row["value"] is None else json.loads(row["value"])
        told = {key: value for key, value in row.items() if key not in {"text", "page_starts"}}
        say_json({**told, "value": answer})
        return
    for line in render(row):
        say(line)


def find(given: str) -> str:
    """The one document_id that `given` means. Raises UsageError where none or several do."""
    from pathlib import Path

    local = Path(given).absolute().as_posix()
    rows = ask(_DOCUMENTS, {"given": given}) or ask(_DOCUMENTS, {"given": local})
    if not rows:
        raise UsageError(f"no document {safe(given)!r}: give an id, an address or a file name as landed")
    if len(rows) > 1:
        some = ", ".join(f"{row['document_id'][:12]} ({safe(row['uri'])})" for row in rows[:5])
        raise UsageError(f"{safe(given)!r} is more than one document: {some}")
    return str(rows[0]["document_id"])


def outcome(document_id: str, run_id: str | None) -> dict[str, Any]:
    """The latest outcome with its fields and findings. Raises UsageError where there is none."""
    rows = ask(_OUTCOME, {"document": document_id, "run": run_id})
    if not rows:
        raise UsageError(f"document {document_id[:12]} has no extraction{' in that run' if run_id else ''}")
    key = {"document": document_id, "run": rows[0]["run_id"]}
    parts = {
        table: ask(f"SELECT {columns} FROM {table} WHERE document_id = $document AND run_id = $run", key)
        for table, columns in _PARTS.items()
    }
    return {**rows[0], **parts}

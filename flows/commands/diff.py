"""`assay diff`"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.commands.asking import AsJson, answer, resolve_run, warehouse
from flows.output import note, say, say_json, say_rows

if TYPE_CHECKING:
    from flows.difference import Comparison, Judged

COLUMNS = (
    *("change", "uri", "pointer", "old_status", "new_status", "old_category", "new_category"),
    *("old_value", "new_value", "old_span", "new_span"),
)


def diff(
    run_a: Annotated[str, typer.Argument(help="The earlier run: its id, or how it begins.")],
    run_b: Annotated[str, typer.Argument(help="The later run.")],
    limit: Annotated[int, typer.Option(min=0, help="How many changes to list.")] = 100,
    as_json: AsJson = False,
) -> None:
    """Show what changed from RUN_A to RUN_B: status, category, and values field by field with their spans.

    Where documents have labels, the shares that are exactly right are compared too, with a paired interval.
    """
    from flows.difference import compare_runs
    from flows.settings import load
    from warehouse.differences import changes

    a, b = resolve_run(run_a), resolve_run(run_b)
    found = compare_runs(warehouse(), load(), a, b)
    rows = [_spanned(row) for row in answer(changes(a, b, limit))]
    if as_json:
        say_json({"run_a": a, "run_b": b, **_as_json(found), "changes": rows})
        return
    if rows:
        say_rows(rows, COLUMNS, as_json=False)
    say(", ".join(f"{count} {change}" for change, count in found.changes.items()))
    if found.judged:
        say(_told(found.judged))
    if len(rows) == limit:
        note(f"only the first {limit}: --limit, or `assay sql \"FROM run_diff('{a}', '{b}')\"`")


def _spanned(row: dict[str, Any]) -> dict[str, Any]:
    """A row with each span as one cell: `12-17`, half open, in code points of the document's text."""
    spans = {
        f"{side}_span": None
        if row[f"{side}_start"] is None
        else f"{row[f'{side}_start']}-{row[f'{side}_end']}"
        for side in ("old", "new")
    }
    return {name: value for name, value in row.items() if not name.endswith(("_start", "_end"))} | spans


def _told(judged: Judged) -> str:
    shares = f"{judged.old:.1%} → {judged.new:.1%} of {judged.documents} labelled documents exactly right"
    return f"{shares}: {judged.difference} ({judged.fixed} fixed, {judged.broken} broken)"


def _as_json(found: Comparison) -> dict[str, Any]:
    judged = None if found.judged is None else asdict(found.judged)
    return {"summary": dict(found.changes), "labelled": judged}

"""`assay gate`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.commands.asking import AsJson, resolve_run, warehouse
from flows.output import note, say, say_json, say_rows

if TYPE_CHECKING:
    from flows.gate import Judgement

COLUMNS = ("run", "suite", "severity", "held", "message")


def gate(
    run: Annotated[
        str | None,
        typer.Argument(help="The beginning of its id; without one, all ended runs not looked at yet."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check ended runs with Great Expectations; one that fails is kept out of what is current.

    Exit 0: all hold. 3: one failed.
    """
    from flows.gate import judge
    from flows.settings import load

    settings, held = load(), warehouse()
    chosen = held.unchecked() if run is None else [resolve_run(run)]
    judgements = [judge(held, settings, held.measure(run_id)) for run_id in chosen]
    _tell(judgements, as_json)
    raise typer.Exit(0 if all(one.passed for one in judgements) else 3)


def _tell(judgements: list[Judgement], as_json: bool) -> None:
    if as_json:
        say_json([_as_row(one) for one in judgements])
        return
    if not judgements:
        say("no ended run waits for the gate")
        return
    rows = [{"run": one.run_id[-12:], **row} for one in judgements for row in _results(one)]
    say_rows(rows, COLUMNS, as_json=False)
    for one in judgements:
        note(f"{one.run_id}: {'held' if one.passed else 'failed'}, see {one.page}")


def _as_row(one: Judgement) -> dict[str, Any]:
    head = {"run_id": one.run_id, "passed": one.passed, "page": str(one.page)}
    return {**head, "results": _results(one)}


def _results(one: Judgement) -> list[dict[str, Any]]:
    return [
        {
            "suite": result.expectation.suite,
            "severity": result.expectation.severity,
            "held": result.success,
            "expectation": result.expectation.type,
            "observed": dict(result.observed),
            "message": result.message,
        }
        for result in one.results
    ]

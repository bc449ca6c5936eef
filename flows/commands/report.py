"""`assay report`"""

from __future__ import annotations

from typing import Annotated

import typer

from flows.commands.asking import AsJson, answer, resolve_run, warehouse
from flows.output import say, say_json
from schemas.errors import UsageError


def report(
    run: Annotated[
        str | None, typer.Argument(help="The beginning of its id; without one, the run that ended last.")
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a run's report anew: one HTML file that needs nothing else, with all that is known by now."""
    from flows.report.gather import gather
    from flows.report.page import write_page
    from flows.settings import load

    run_id = _newest() if run is None else resolve_run(run)
    path = write_page(gather(warehouse(), run_id), load().reports)
    if as_json:
        say_json({"run_id": run_id, "path": str(path.absolute())})
    else:
        say(str(path))
    if show:
        import webbrowser

        webbrowser.open(path.absolute().as_uri())


def _newest() -> str:
    from warehouse.listings import newest

    rows = answer(newest())
    if not rows:
        raise UsageError("no run has ended yet: see `assay runs`")
    return str(rows[0]["run_id"])

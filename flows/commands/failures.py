"""`assay failures`"""

from __future__ import annotations

from typing import Annotated

import typer

from flows.commands.asking import AsJson, answer, resolve_run
from flows.output import say_rows

COLUMNS = ("level", "category", "documents", "share", "example")


def failures(
    run: Annotated[str | None, typer.Option(help="One run: the beginning of its id is enough.")] = None,
    as_json: AsJson = False,
) -> None:
    """Count what did not succeed, by level and category; without --run, of what is current."""
    from warehouse import listings

    rows = answer(listings.failures(None if run is None else resolve_run(run)))
    say_rows(rows, COLUMNS, as_json)

"""`assay snapshot`"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.commands.asking import warehouse
from flows.output import safe, say


def snapshot(
    file: Annotated[Path, typer.Argument(help="Where the copy goes, such as monday.duckdb.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")] = False,
) -> None:
    """Copy the database for those who read for long: the copy may stay open while runs go on."""
    warehouse().snapshot(file, replace=force)
    say(f"{safe(str(file))}: {file.stat().st_size / 1e6:,.1f} MB")

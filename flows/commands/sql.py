"""`assay sql`"""

from __future__ import annotations

from typing import Annotated

import typer

from flows.commands.asking import AsJson, ask_table
from flows.output import say_rows
from schemas.errors import UsageError


def sql(
    statement: Annotated[str, typer.Argument(help="What to ask, such as: select * from failures")],
    as_json: AsJson = False,
) -> None:
    """Ask the warehouse in SQL, read-only: it can neither change a table nor touch a file."""
    if not statement.strip(" \n\t;"):
        raise UsageError("the statement is empty: ask, for instance, `assay sql 'select * from failures'`")
    table = ask_table(statement)
    say_rows(table.to_pylist(), table.column_names, as_json)

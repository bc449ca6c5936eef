"""What the looking commands share: a question to the warehouse, an answer on stdout."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from schemas.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.asked import Asked
    from warehouse.store import Warehouse

AsJson = Annotated[bool, typer.Option("--json", help="JSON on stdout, for programs.")]


def answer(asked: Asked) -> list[dict[str, Any]]:
    """Rows of a question of ours. Raises UsageError where nothing was ever landed here."""
    return warehouse().answer(asked)


def ask(sql: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """Rows of a read-only question, which may be a person's own."""
    rows: list[dict[str, Any]] = ask_table(sql, parameters).to_pylist()
    return rows


def ask_table(sql: str, parameters: Mapping[str, Any] | None = None) -> pa.Table:
    """The same as an Arrow table, which knows its columns though it has no rows."""
    return warehouse().query(sql, parameters)


def warehouse() -> Warehouse:
    """The warehouse that is set. Raises UsageError where there is none yet: looking must not create one."""
    from flows.settings import load
    from warehouse.store import Warehouse

    found = Warehouse(load().home)
    if not found.database.exists():
        raise UsageError(f"there is no warehouse in {found.home} yet: run `assay extract`, or set ASSAY_HOME")
    return found


def resolve_run(given: str) -> str:
    """The run_id that starts with `given`. Raises UsageError where none or several do."""
    from warehouse.listings import called

    rows = answer(called(given, 3))
    if len(rows) != 1:
        raise UsageError(
            f"{'no run' if not rows else 'more than one run'} starts with {given!r}: see `assay runs`"
        )
    return str(rows[0]["run_id"])

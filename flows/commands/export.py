"""`assay export`"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.asking import warehouse
from flows.commands.rerun import statuses
from flows.output import note, safe, say

if TYPE_CHECKING:
    from warehouse.export import Exported
    from warehouse.store import Warehouse

HELP = """Write current answers as Parquet or CSV, or as a training set.

Exit 0: written. 2: wrongly asked, or nothing there to write, and then no file.
"""
app = typer.Typer(help=HELP, no_args_is_help=True)

Schema = Annotated[str, typer.Option(help="Schema version, such as invoice@2.")]
Schemas = Annotated[
    list[str] | None, typer.Option("--schema", help="One version; may be repeated. Else all.")
]
Wanted = Annotated[str, typer.Option("--status", help="Answers that ended so: accepted,flagged.")]
Force = Annotated[bool, typer.Option("--force", help="Replace what is there already.")]
BOTH = "accepted,flagged"


@app.command("parquet")
def parquet(
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
    schema: Schemas = None,
    status: Wanted = BOTH,
    force: Force = False,
) -> None:
    """Write current answers with exact types, by schema version and day, for other databases to read."""
    found, chosen = warehouse(), statuses(status)
    _write(found, folder, "parquet", force, lambda: found.export_parquet(folder, schema or [], chosen))


@app.command("csv")
def csv(
    file: Annotated[Path, typer.Argument(help="A new file.")],
    schema: Schema,
    status: Wanted = BOTH,
    exact: Annotated[
        bool, typer.Option("--exact", help="Leave text as it is, also where a spreadsheet would run it.")
    ] = False,
    force: Force = False,
) -> None:
    """Write one schema version's current answers with a header; lists and objects stand as JSON.

    Text that a spreadsheet would take for a formula gets an apostrophe before it, unless --exact.
    """
    found, chosen = warehouse(), statuses(status)
    _write(found, file, "csv", force, lambda: found.export_csv(file, schema, chosen, exact=exact))


@app.command("training")
def training(
    file: Annotated[Path, typer.Argument(help="A new file, such as receipts.jsonl.")],
    schema: Schema,
    force: Force = False,
) -> None:
    """Write accepted and corrected answers as chat messages, one example a line, for fine-tuning.

    Documents that an evaluation measured, or that a file of labels names, are left out, and so are others of
    the same text.
    """
    from extractors.engines.tokenizer import Tokenizer
    from flows.model import model_folder
    from flows.settings import load
    from flows.training import export_training
    from schemas.registry import load as load_registry
    from warehouse.export import refuse_existing

    settings, found = load(), warehouse()
    version = load_registry(settings.schemas).resolve(schema)
    refuse_existing(file, found.home, replace=force)
    control = Tokenizer(model_folder(settings)).control_texts
    found.record_copy(file, "training")
    written = export_training(found, file, version, control)
    say(f"{safe(str(file))}: {written.accepted} accepted, {written.labelled} corrected by labels")
    for reason in written.reasons:
        note(f"left out: {reason}")


def _write(found: Warehouse, target: Path, kind: str, force: bool, write: Callable[[], Exported]) -> None:
    from warehouse.export import refuse_existing

    refuse_existing(target, found.home, replace=force)
    found.record_copy(target, kind)
    done = write()
    say(f"{safe(str(target))}: {done.answers} answers")
    if done.without:
        note(f"{done.without} documents have no such answer: see `assay failures`")

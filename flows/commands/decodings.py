"""`assay decodings`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.asking import AsJson
from flows.output import say, say_json, say_rows

if TYPE_CHECKING:
    from schemas.decoding import Decoding

app = typer.Typer(help="See the named ways of drawing text.", no_args_is_help=True)
COLUMNS = ("name", "mode", "backend", "temperature", "samples", "beam_width", "selection", "retries")


@app.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List all decodings: those that ship, then your own."""
    from schemas.decoding import PRESETS

    rows = [decoding.model_dump(mode="json") for decoding in {**PRESETS, **_own()}.values()]
    say_rows(rows, COLUMNS, as_json)


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="Such as guided-greedy.")], as_json: AsJson = False
) -> None:
    """Show one decoding in full, with its fingerprint."""
    from schemas.decoding import resolve

    decoding = resolve(name, _own())
    content = {**decoding.model_dump(mode="json"), "fingerprint": decoding.fingerprint}
    if as_json:
        say_json(content)
        return
    for key, value in content.items():
        say(f"{key:20} {'·' if value is None else value}")


def _own() -> dict[str, Decoding]:
    from flows.settings import load, own_decodings

    return own_decodings(load())

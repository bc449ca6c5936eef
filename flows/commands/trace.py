"""`assay trace`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.asking import AsJson, ask
from flows.output import safe, say_json, say_rows
from schemas.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from flows.settings import Settings
    from flows.trace import Landed, Step

COLUMNS = ("number", "text", "pointer", "legal", "forced", "raw", "masked", "removed_mass")
LIKELIEST = ("before", "after")


def trace(
    attempt: Annotated[str, typer.Argument(help="The beginning of its id: see `assay show --json`.")],
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities", help="Load the model: the likeliest tokens with and without the mask."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show an attempt token by token: its place in the answer, how many tokens were legal, what was removed.

    `raw` and `masked` are a token's probability without and with the mask. Without --probabilities they are
    those that were landed; `raw` is there for scored attempts only.
    """
    from flows.model import model_folder
    from flows.settings import load

    landed = find(attempt)
    settings = load()
    found = _steps(landed, settings, model_folder(settings), probabilities)
    if as_json:
        head = {"attempt_id": landed.attempt_id, "schema": landed.schema, "decoding": landed.decoding.name}
        say_json({**head, "ending": landed.ending, "tokens": [_as_row(step) for step in found]})
        return
    say_rows(
        [_as_told(step) for step in found], (*COLUMNS, *(LIKELIEST if probabilities else ())), as_json=False
    )


def find(given: str) -> Landed:
    """The one attempt whose id starts so. Raises UsageError where none or several do."""
    from flows.trace import SQL, Landed

    rows = ask(SQL, {"given": given})
    if len(rows) != 1:
        many = "more than one attempt starts" if rows else "no attempt starts"
        raise UsageError(f"{many} with {safe(given)!r}: see attempt_id in the table attempts")
    return Landed.of(rows[0])


def _steps(landed: Landed, settings: Settings, model: Path, probabilities: bool) -> list[Step]:
    """Each token's row; the model is loaded only for its probabilities."""
    from extractors.engines.tokenizer import Tokenizer
    from extractors.legal import Legal
    from flows.trace import check_model, steps

    check_model(landed, model, ("tokenizer", "weights") if probabilities else ("tokenizer",))
    legal, known = Legal(model, landed.decoding.backend), None
    if probabilities:
        from flows.likelihood import computed

        known = computed(landed, settings, model, legal)
    return steps(landed, Tokenizer(model), legal, known)


def _as_row(step: Step) -> dict[str, Any]:
    from dataclasses import asdict

    likeliest = {
        name: [{"text": text, "probability": one} for text, one in getattr(step, name)] for name in LIKELIEST
    }
    return {**asdict(step), **likeliest}


def _as_told(step: Step) -> dict[str, Any]:
    """For a table: texts in quotes, so that a blank is seen."""
    row = _as_row(step) | {"text": repr(step.text), "forced": "yes" if step.forced else ""}
    for name in LIKELIEST:
        row[name] = "  ".join(f"{text!r} {one:.2f}" for text, one in getattr(step, name))
    return row

"""`assay trace`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.asking import AsJson, answer, warehouse
from flows.output import note, safe, say_json, say_rows
from schemas.errors import UsageError, WarehouseLocked

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from extractors.engines.tokenizer import Tokenizer
    from extractors.legal import Legal
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

    `raw` and `masked` are a token's probability without and with the mask: those that were landed (`raw` for
    scored attempts only), or the model's own where --probabilities computed them, which is kept.
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
    likeliest = LIKELIEST if any(step.before for step in found) else ()
    say_rows([_as_told(step) for step in found], (*COLUMNS, *likeliest), as_json=False)


def find(given: str) -> Landed:
    """The one attempt whose id starts so. Raises UsageError where none or several do."""
    from flows.commands.missing import no_attempt
    from flows.trace import Landed
    from warehouse.attempts import called

    rows = answer(called(given))
    if not rows:
        with warehouse().asking() as ask:
            raise no_attempt(ask, given)
    if len(rows) > 1:
        raise UsageError(
            f"more than one attempt starts with {safe(given)!r}: see attempt_id in the table attempts"
        )
    return Landed.of(rows[0])


def _steps(landed: Landed, settings: Settings, model: Path, probabilities: bool) -> list[Step]:
    """Each token's row; the model is loaded only for its probabilities, and only the first time."""
    from extractors.engines.tokenizer import Tokenizer
    from extractors.legal import Legal
    from flows.trace import check_model, steps, with_likelihoods

    check_model(landed, model, ("tokenizer",))
    legal, tokenizer = Legal(model, landed.decoding.backend), Tokenizer(model)
    known = warehouse().likelihoods(landed.attempt_id)
    if probabilities and not known:
        check_model(landed, model, ("weights",))
        known = _computed(landed, settings, model, legal, tokenizer)
    return with_likelihoods(steps(landed, tokenizer, legal), known)


def _computed(
    landed: Landed, settings: Settings, model: Path, legal: Legal, tokenizer: Tokenizer
) -> list[dict[str, Any]]:
    """The model's probabilities, kept where nobody holds the warehouse for long."""
    from flows.likelihood import computed
    from flows.trace import as_rows

    rows = as_rows(computed(landed, settings, model, legal), tokenizer)
    try:
        warehouse().keep_likelihoods(landed.attempt_id, landed.document_id, rows)
    except WarehouseLocked as error:
        note(f"these were not kept: {error}")
    return rows


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

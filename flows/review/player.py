"""An attempt as the token player shows it: each drawn token, how it came about, the attempts beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log
from pathlib import Path
from typing import Any

from extractors.engines.tokenizer import Tokenizer
from extractors.legal import QUICK, Legal
from extractors.scoring import removed_mass
from flows.output import safe
from flows.trace import Landed, Step, check_model, steps, with_likelihoods
from schemas.decoding import Backend
from schemas.errors import AssayError, UsageError
from warehouse.asking import Questions
from warehouse.attempts import called, siblings
from warehouse.likelihoods import kept
from warehouse.store import Warehouse

SHADES = 5


@dataclass(frozen=True, slots=True)
class Played:
    """One attempt: its tokens, the document's attempts in that run, and why less is known, where it is."""

    landed: Landed
    steps: list[Step]
    siblings: list[dict[str, Any]]
    run_id: str
    document_id: str
    missing: str | None
    computed: bool
    """Whether the likeliest tokens at each step are known."""


def found(warehouse: Warehouse, attempt_id: str) -> dict[str, Any]:
    """The row of an attempt, by its whole id or a beginning of it. Raises UsageError."""
    with warehouse.asking() as ask:
        return _only(ask, attempt_id)


def _only(ask: Questions, attempt_id: str) -> dict[str, Any]:
    rows = called(attempt_id).rows(ask)
    if len(rows) != 1:
        raise UsageError("there is no such attempt")
    return rows[0]


def played(warehouse: Warehouse, model: Path | None, attempt_id: str) -> Played:
    """The attempt of this id; legal tokens are counted with the model's tokenizer. Raises UsageError."""
    with warehouse.asking() as ask:
        row = _only(ask, attempt_id)
        beside = siblings(row["attempt_id"]).rows(ask)
        known = kept(ask, row["attempt_id"])
    landed = Landed.of(row)
    drawn, missing = _traced(landed, model)
    drawn = with_likelihoods(drawn, known)
    return Played(landed, drawn, beside, row["run_id"], row["document_id"], missing, bool(known))


def _traced(landed: Landed, model: Path | None) -> tuple[list[Step], str | None]:
    """The steps, and why less is known of them where it is."""
    if model is None:
        return _as_landed(landed), "the model that this was drawn from is not here"
    try:
        check_model(landed, model, ("tokenizer",))
        tokenizer, legal = _loaded(model, landed.decoding.backend)
    except AssayError as error:
        return _as_landed(landed), str(error)
    try:
        _refuse_slow(landed)
        return steps(landed, tokenizer, legal), None
    except AssayError as error:
        return steps(landed, tokenizer, None), str(error)


def _refuse_slow(landed: Landed) -> None:
    """Raise UsageError where a page would wait for minutes."""
    backend = landed.decoding.backend
    if landed.enforced is not None and backend not in QUICK:
        raise UsageError(f"legal tokens are not counted here, for {backend} takes long: `assay trace` does")


@lru_cache(maxsize=4)
def _loaded(model: Path, backend: Backend) -> tuple[Tokenizer, Legal]:
    """What takes seconds to load, once for each backend."""
    return Tokenizer(model), Legal(model, backend)


def _as_landed(landed: Landed) -> list[Step]:
    """The tokens as they were landed, without their places and the count of legal ones."""
    return [
        Step(
            number=number,
            id=token.id,
            text=token.text,
            pointer=None,
            legal=None,
            forced=False,
            raw=None if token.raw_logprob is None else exp(token.raw_logprob),
            masked=None if token.logprob is None else exp(token.logprob),
            removed_mass=removed_mass(token),
        )
        for number, token in enumerate(landed.tokens, 1)
    ]


def by_mass(step: Step) -> int:
    """How dark a token is by what the mask took away: 0 for nothing or not known, to SHADES."""
    return round(SHADES * (step.removed_mass or 0.0))


def by_surprise(step: Step) -> int:
    """How dark it is by its log-probability: SHADES where the model gave it one in a hundred or less."""
    if not step.masked:
        return 0
    return min(round(SHADES * -log(step.masked) / log(100)), SHADES)


def share(value: float | None) -> str:
    """A probability as the page shows it."""
    return "not known" if value is None else f"{value:.3f}"


def quoted(text: str) -> str:
    """A token in quotes, so that a blank is seen."""
    return safe(repr(text))


def likeliest(ranked: Sequence[tuple[str, float]]) -> list[list[str]]:
    """The likeliest tokens as the page shows them."""
    return [[quoted(text), share(one)] for text, one in ranked]

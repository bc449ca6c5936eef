"""An attempt, token by token: rebuilt from what was landed and the tokenizer, with no model."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from extractors.engines.identity import model_identity
from extractors.engines.tokenizer import Tokenizer
from extractors.legal import Legal, enforced
from extractors.likelihood import Likelihood, Ranked
from extractors.places import place_at, places
from extractors.scoring import removed_mass
from schemas.decoding import Decoding
from schemas.errors import UsageError
from schemas.records import Token


@dataclass(frozen=True, slots=True)
class Landed:
    """What the warehouse holds of an attempt, and of what it was made with."""

    attempt_id: str
    document_id: str
    document: str
    number: int
    prompt_tokens: int
    ending: str
    schema: str
    prompt_fingerprint: str
    json_schema: str
    decoding: Decoding
    model: Mapping[str, str]
    tokens: tuple[Token, ...]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Landed:
        """From a row of `warehouse.attempts.called`."""
        same = {one.name: row[one.name] for one in fields(cls) if one.name in row}
        compact = json.dumps(json.loads(row["json_schema"]), ensure_ascii=False, separators=(",", ":"))
        return cls(
            **same
            | {
                "json_schema": compact,
                "decoding": Decoding.model_validate_json(row["decoding"]),
                "model": json.loads(row["model"]),
                "tokens": tuple(Token(**token) for token in row["tokens"]),
            }
        )

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of the drawn tokens."""
        return tuple(token.id for token in self.tokens)

    @property
    def enforced(self) -> str | None:
        """The schema that the mask stood for; None where nothing was masked."""
        return enforced(self.decoding, self.json_schema)


@dataclass(frozen=True, slots=True)
class Step:
    """One token. Probabilities and masses are 0 to 1, None where not known; `legal` None without a mask.

    `before` and `after` are the likeliest tokens, each with its probability, without and with the mask. A
    token `is_part` that has some bytes of a letter that a later one completes: both have it as their text.
    """

    number: int
    id: int
    text: str
    pointer: str | None
    legal: int | None
    forced: bool
    raw: float | None
    masked: float | None
    removed_mass: float | None
    before: tuple[tuple[str, float], ...] = field(default=())
    after: tuple[tuple[str, float], ...] = field(default=())
    is_part: bool = False


def check_model(landed: Landed, model: Path, parts: Sequence[str]) -> None:
    """Raise UsageError where a part (`tokenizer`, `weights`) is not what the attempt was made with."""
    here = model_identity(model)
    for part in parts:
        if landed.model.get(part, here[part]) != here[part]:
            raise UsageError(
                f"attempt {landed.attempt_id} was made with another model ({landed.model.get('name', '?')}): "
                f"the {part} of {model} differ. Set ASSAY_MODEL to its folder."
            )


def steps(landed: Landed, tokenizer: Tokenizer, legal: Legal | None) -> list[Step]:
    """A step for each token, with the probabilities that were landed; without `legal` none are counted."""
    text, spans = tokenizer.decode(landed.ids), tokenizer.spans(landed.ids)
    where = places(text)
    schema = landed.enforced
    counts: list[int | None] = []
    if schema is not None and legal is not None:
        counts += legal.counts(schema, landed.ids)
    counts += [None] * (len(landed.ids) - len(counts))
    found = []
    for i, (token, (start, end)) in enumerate(zip(landed.tokens, spans, strict=True)):
        place = place_at(where, start) if end > start else None
        step = Step(
            number=i + 1,
            id=token.id,
            text=text[start:end] or tokenizer.name(token.id),
            pointer=place.pointer if place else None,
            legal=counts[i],
            forced=counts[i] == 1,
            raw=_exp(token.raw_logprob),
            masked=_exp(token.logprob),
            removed_mass=removed_mass(token),
            is_part=start < end and (start, end) in spans[i + 1 : i + 2],
        )
        found.append(step)
    return found


def with_likelihoods(found: Sequence[Step], rows: Sequence[Mapping[str, Any]]) -> list[Step]:
    """The steps with the model's own probabilities, where they were computed: `warehouse.likelihoods`."""
    known = {row["number"]: row for row in rows}
    return [_with_likelihood(step, known[step.number]) if step.number in known else step for step in found]


def as_rows(computed: Sequence[Likelihood], tokenizer: Tokenizer) -> list[dict[str, Any]]:
    """Computed likelihoods as the warehouse keeps them."""
    return [
        {
            "number": number,
            "raw": one.raw,
            "masked": one.masked,
            "allowed": one.allowed,
            "before": _named(one.before, tokenizer),
            "after": _named(one.after, tokenizer),
        }
        for number, one in enumerate(computed, 1)
    ]


def _exp(log: float | None) -> float | None:
    return None if log is None else math.exp(log)


def _with_likelihood(step: Step, known: Mapping[str, Any]) -> Step:
    return replace(
        step,
        raw=known["raw"],
        masked=known["masked"],
        removed_mass=1.0 - known["allowed"],
        before=_ranked(known["before"]),
        after=_ranked(known["after"]),
    )


def _ranked(kept: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, float], ...]:
    return tuple((one["text"], one["probability"]) for one in kept)


def _named(ranked: Ranked, tokenizer: Tokenizer) -> list[dict[str, Any]]:
    return [{"id": id_, "text": tokenizer.name(id_), "probability": one} for id_, one in ranked]

"""How text is drawn from the model: a complete, immutable, named description, and the presets that ship.

A decoding is part of the recipe: change anything in it and its fingerprint changes, and the documents are
done again. Nothing about drawing text is said anywhere else.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from schemas.errors import SettingError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Mode: TypeAlias = Literal["prompt", "json", "guided"]
Backend: TypeAlias = Literal["guidance", "xgrammar", "outlines"]
Selection: TypeAlias = Literal["first", "vote", "verified", "aligned"]
Retries: TypeAlias = Literal["none", "resample", "feedback"]
# Whose answers get a second pass without the mask. It changes no answer, so it is no part of a decoding.
Scoring: TypeAlias = Literal["off", "flagged", "sample", "all"]


def _in_top_p_range(value: float) -> float:
    if not 0.0 < value <= 1.0:
        raise ValueError("must lie in (0, 1]; 1 leaves every token in")
    return value


def _in_top_k_range(value: int) -> int:
    if value < 0:
        raise ValueError("must be 0 (off) or a count of tokens; -1 is written 0 here")
    return value


class Decoding(BaseModel):
    """One way to draw text. Temperature 0 is greedy. `max_tokens` None means what the schema can need.

    `mode`: `prompt` only asks for JSON, `json` enforces JSON syntax, `guided` enforces the schema token by
    token. `samples` answers are drawn in each attempt, or, for `verified`, one after the other until one
    holds. `max_attempts` counts the first attempt too; more than one needs a kind of `retries`. Each attempt
    after the first is drawn with a temperature that is higher by `warmer` than the one before.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", max_length=60)]
    mode: Mode = "guided"
    backend: Backend = "guidance"
    temperature: Annotated[float, Field(ge=0.0, le=2.0, allow_inf_nan=False)] = 0.0
    top_p: Annotated[float, AfterValidator(_in_top_p_range)] = 1.0
    top_k: Annotated[int, AfterValidator(_in_top_k_range)] = 0
    min_p: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    repetition_penalty: Annotated[float, Field(gt=0.0, le=2.0)] = 1.0
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    beam_width: Annotated[int, Field(ge=1, le=16)] = 1
    samples: Annotated[int, Field(ge=1, le=64)] = 1
    selection: Selection = "first"
    retries: Retries = "none"
    max_attempts: Annotated[int, Field(ge=1, le=16)] = 1
    warmer: Annotated[float, Field(ge=0.0, le=2.0, allow_inf_nan=False)] = 0.0

    @property
    def greedy(self) -> bool:
        """Whether the likeliest token is always taken."""
        return self.temperature == 0.0

    @property
    def at_once(self) -> int:
        """Samples that one request draws; `verified` draws its own one after the other."""
        return self.samples if self.selection in ("vote", "aligned") else 1

    def attempt(self, number: int) -> Decoding:
        """How the attempt of this number, from 1, is drawn."""
        if number == 1 or not self.warmer:
            return self
        return self.model_copy(update={"temperature": self.temperature + self.warmer * (number - 1)})

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hex, 64 digits) of everything but the name: two names for one way are one way."""
        content = self.model_dump(mode="json", exclude={"name"})
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    @model_validator(mode="after")
    def _consistent(self) -> Decoding:
        for holds, message in _rules(self):
            if not holds:
                raise ValueError(message)
        return self


_ALIGNED = (
    "selection aligned weighs by the model's own probabilities: temperature 1, no top_p, top_k, min_p or "
    "repetition_penalty"
)


def _rules(d: Decoding) -> list[tuple[bool, str]]:
    """What must hold between settings, each with what to say where it does not."""
    hottest = d.attempt(d.max_attempts).temperature
    neutral = d.top_p == 1.0 and d.top_k == 0 and d.min_p == 0.0
    plain = neutral and d.repetition_penalty == 1.0
    return [
        (not d.greedy or neutral, "temperature 0 is greedy: top_p, top_k and min_p would do nothing"),
        (
            d.mode != "json" or d.backend != "outlines",
            "vLLM has no bare JSON syntax on outlines: set backend to guidance or xgrammar",
        ),
        (
            d.greedy or d.temperature >= 0.01,
            "vLLM draws no colder than 0.01: set temperature to 0 for greedy",
        ),
        (hottest <= 2.0, f"the last attempt would be drawn at {hottest:g}, and vLLM takes at most 2"),
        (not d.greedy or d.samples == 1, "samples > 1 with temperature 0 would draw one answer many times"),
        (d.beam_width == 1 or d.greedy, "beam search does not sample: set temperature to 0"),
        (d.beam_width == 1 or d.samples == 1, "beam search gives one answer: set samples to 1"),
        (d.beam_width == 1 or d.repetition_penalty == 1.0, "beam search takes no repetition_penalty"),
        (d.beam_width == 1 or d.backend == "guidance", "beam search masks by guidance: set backend to it"),
        (d.selection != "vote" or d.samples > 1, "selection vote needs samples > 1"),
        (d.selection != "verified" or d.samples > 1, "selection verified needs samples > 1"),
        (d.selection != "aligned" or d.samples > 1, "selection aligned needs samples > 1"),
        (
            d.selection != "aligned" or d.mode == "guided",
            "selection aligned undoes a mask: set mode to guided",
        ),
        (d.selection != "aligned" or (d.temperature == 1.0 and plain), _ALIGNED),
        (d.selection != "aligned" or d.retries == "none", "aligned draws from all its samples: no retries"),
        (
            d.selection != "first" or d.samples == 1,
            "samples > 1 needs a selection: vote, verified or aligned",
        ),
        (d.retries == "none" or d.max_attempts > 1, "retries need max_attempts > 1"),
        (d.max_attempts == 1 or d.retries != "none", "max_attempts > 1 needs retries: resample or feedback"),
        (
            d.retries != "resample" or not d.greedy or d.warmer > 0.0,
            "resampling a greedy decoding gives the same answer: set warmer, or a temperature",
        ),
        (d.warmer == 0.0 or d.warmer >= 0.01, "warmer lies between 0.01 and 2, or is 0"),
        (d.warmer == 0.0 or d.retries != "none", "warmer is for retries: resample or feedback"),
        (d.warmer == 0.0 or d.beam_width == 1, "beam search has no temperature: warmer would do nothing"),
        (d.selection != "verified" or d.retries == "none", "verified draws again by itself: no retries"),
    ]


PRESETS: dict[str, Decoding] = {
    decoding.name: decoding
    for decoding in (
        Decoding(name="prompt-greedy", mode="prompt"),
        Decoding(name="prompt-sampled", mode="prompt", temperature=0.7, top_p=0.95),
        Decoding(name="json-greedy", mode="json"),
        Decoding(name="guided-greedy"),
        Decoding(name="guided-sampled", temperature=0.7, top_p=0.95),
        Decoding(name="guided-vote", temperature=0.7, top_p=0.95, samples=5, selection="vote"),
        Decoding(name="guided-verified", temperature=0.7, top_p=0.95, samples=3, selection="verified"),
        Decoding(name="guided-aligned", temperature=1.0, samples=8, selection="aligned"),
        Decoding(name="guided-beam", beam_width=2),
        Decoding(name="prompt-retry", mode="prompt", retries="feedback", max_attempts=3),
    )
}
DEFAULT = "guided-greedy"


def parse(settings: Mapping[str, object]) -> Decoding:
    """A decoding from plain settings. Raises SettingError that names each wrong setting and its reason."""
    try:
        return Decoding.model_validate(dict(settings))
    except ValidationError as error:
        name = settings.get("name", "?")
        # A name that is none is shown quoted: it may hold a line break.
        shown = name if str(name).isprintable() else repr(name)
        raise SettingError(f"decoding {shown}: {'; '.join(map(_reason, error.errors()))}") from error


def _reason(error: ErrorDetails) -> str:
    where = ".".join(str(key) for key in error["loc"])
    if error["type"] == "extra_forbidden":
        near = difflib.get_close_matches(where, Decoding.model_fields, n=1) or sorted(Decoding.model_fields)
        return f"{where}: no such setting; did you mean {' or '.join(near)}?"
    what = error["msg"].removeprefix("Value error, ")
    return f"{where}: {what}" if where else what


def resolve(name: str, extra: Mapping[str, Decoding] | None = None) -> Decoding:
    """The decoding called `name`: a user's own in `extra` first. SettingError lists what there is."""
    known = {**PRESETS, **(extra or {})}
    if name not in known:
        raise SettingError(f"unknown decoding {name!r}: choose one of {', '.join(sorted(known))}")
    return known[name]

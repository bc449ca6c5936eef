"""What goes over the wire to `/v1/completions`, and what may come back. Pure: nothing here is sent.

Prompts go as token ids and answers come back as token ids (`return_token_ids`), so that no server tokenises a
document. An answer is checked before it is believed: one choice, of this prompt, with ids of this vocabulary.
Its parts bear the names of vLLM's `RequestOutput`, so that `translate` reads both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from extractors.engines import sampling
from schemas.decoding import Decoding
from schemas.errors import EngineError
from schemas.records import Request

PATH = "/v1/completions"
Id = Annotated[int, Field(ge=0)]
# A float32 softmax may end a hair above 0.
Logprob = Annotated[float, Field(le=0.001, allow_inf_nan=False)]


def drawn(model: str, request: Request, decoding: Decoding, sample: int) -> bytes:
    """The body that asks for one sample."""
    asked = sampling.drawing(request, decoding, sample)
    held = sampling.constraint(request, decoding)
    return _body(model, request.prompt_ids, {**asked, "structured_outputs": held} if held else asked)


def scored(model: str, ids: Sequence[int]) -> bytes:
    """The body that asks for the log-probability of each of `ids`, without any mask."""
    return _body(model, ids, sampling.PREFILL)


def _body(model: str, ids: Sequence[int], how: Mapping[str, Any]) -> bytes:
    fixed = {
        "model": model,
        "prompt": list(ids),
        "return_token_ids": True,
        "return_tokens_as_token_ids": False,
        "add_special_tokens": False,
    }
    return json.dumps({**fixed, **how}, separators=(",", ":")).encode()


class _Told(BaseModel):
    """What a server tells; what we did not ask for is left aside."""

    model_config = ConfigDict(extra="ignore", frozen=True, protected_namespaces=())


class Ranked(_Told):
    """A token's log-probability. A server that has more of them than floats hold says -9999."""

    logprob: Logprob
    decoded_token: str | None = None


class _Logprobs(_Told):
    tokens: list[str]
    token_logprobs: list[Logprob | None]


class _Choice(_Told):
    text: str
    token_ids: list[Id] | None = None
    prompt_token_ids: list[Id] | None = None
    finish_reason: str | None = None
    refusal: str | None = None
    logprobs: _Logprobs | None = None
    prompt_logprobs: list[dict[int, Ranked] | None] | None = None


class _Cached(_Told):
    cached_tokens: int | None = None


class _Usage(_Told):
    prompt_tokens_details: _Cached | None = None


class _Times(_Told):
    queue_time_ms: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] | None = None
    time_to_first_token_ms: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] | None = None


class _Answer(_Told):
    choices: Annotated[list[_Choice], Field(min_length=1, max_length=1)]
    usage: _Usage | None = None
    metrics: _Times | None = None
    system_fingerprint: str | None = None


@dataclass(frozen=True)
class Completion:
    """One answer, under the names of vLLM's `CompletionOutput`."""

    text: str
    token_ids: Sequence[int]
    finish_reason: str | None
    logprobs: Sequence[Mapping[int, Ranked]] | None


@dataclass(frozen=True)
class Output:
    """One request's outcome, under the names of vLLM's `RequestOutput`. Times are seconds, None if not told.

    `fingerprint` changes with the server's version, model and settings; `refusal` holds its words.
    """

    outputs: tuple[Completion]
    num_cached_tokens: int | None
    prompt_logprobs: Sequence[Mapping[int, Ranked] | None] | None
    queued_s: float | None
    first_token_s: float | None
    fingerprint: str | None
    refusal: str | None
    metrics: None = None


def parsed(said: bytes, prompt: Sequence[int], most: int, vocabulary: int) -> Output:
    """A server's answer to `prompt`, of at most `most` tokens. EngineError for one not to be believed."""
    try:
        answer = _Answer.model_validate_json(said)
    except ValidationError as error:
        raise EngineError(f"the server's answer is none: {_reason(error)}") from None
    choice = answer.choices[0]
    _check(choice, prompt, most, vocabulary)
    details = answer.usage.prompt_tokens_details if answer.usage else None
    times = answer.metrics or _Times()
    return Output(
        outputs=(_completion(choice),),
        num_cached_tokens=details.cached_tokens if details else None,
        prompt_logprobs=choice.prompt_logprobs,
        queued_s=_seconds(times.queue_time_ms),
        first_token_s=_seconds(times.time_to_first_token_ms),
        fingerprint=answer.system_fingerprint,
        refusal=choice.refusal or ("filtered" if choice.finish_reason == "content_filter" else None),
    )


def _check(choice: _Choice, prompt: Sequence[int], most: int, vocabulary: int) -> None:
    """Raise EngineError where the answer cannot be the one to our request."""
    ids, logprobs = choice.token_ids, choice.logprobs
    if ids is None or choice.prompt_token_ids is None:
        raise EngineError("the server gives no token ids: it must be vLLM 0.11 or later")
    if list(prompt) != choice.prompt_token_ids:
        raise EngineError("the server answered another request")
    if len(ids) > most:
        raise EngineError(f"the server drew {len(ids)} tokens, and {most} were asked for")
    if max(ids, default=0) >= vocabulary:
        raise EngineError(f"the server drew token {max(ids)}, and the vocabulary has {vocabulary}")
    if logprobs is not None and not len(ids) == len(logprobs.tokens) == len(logprobs.token_logprobs):
        raise EngineError("the server's log-probabilities are not those of its tokens")


def _completion(choice: _Choice) -> Completion:
    ids, known = choice.token_ids or [], choice.logprobs
    ranks = None
    if known is not None:
        pairs = zip(ids, known.tokens, known.token_logprobs, strict=True)
        ranks = [{} if odds is None else {id_: _rank(text, odds)} for id_, text, odds in pairs]
    return Completion(choice.text, ids, choice.finish_reason, ranks)


def _rank(text: str, odds: float) -> Ranked:
    return Ranked.model_construct(logprob=odds, decoded_token=text)


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000


def _reason(error: ValidationError) -> str:
    """The first thing that is wrong with it: where, and what; never what the server sent."""
    first = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]

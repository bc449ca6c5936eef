"""vLLM's outputs and exceptions, as our attempts and errors. The one place that knows both."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import uuid_utils

from schemas.errors import EngineError, EngineTimeout, EngineUnavailable
from schemas.records import Attempt, Ending, Request, Token

_ENDINGS = {
    "stop": Ending.STOP,
    "length": Ending.LENGTH,
    "repetition": Ending.REPETITION,
    "abort": Ending.ABORT,
    "error": Ending.ERROR,
}


def attempt_of(output: Any, request: Request, document_id: str, sample: int, total_s: float) -> Attempt:
    """One finished `RequestOutput`. `error` and unknown finish reasons come without an exception in vLLM."""
    completion = output.outputs[0]
    ending = _ENDINGS.get(str(completion.finish_reason), Ending.ERROR)
    queued_s, first_token_s = _timings(output.metrics)
    return replace(
        empty_attempt(request, document_id, sample, ending, total_s),
        text=completion.text,
        output_tokens=len(completion.token_ids),
        cached_tokens=int(output.num_cached_tokens or 0),
        queued_s=queued_s,
        first_token_s=first_token_s,
        tokens=_tokens(completion),
        error=f"the engine gave finish_reason {completion.finish_reason}" if ending is Ending.ERROR else None,
    )


def empty_attempt(request: Request, document_id: str, sample: int, ending: Ending, total_s: float) -> Attempt:
    """An attempt that ends now, after `total_s` seconds, with no text yet: an engine puts in what it drew."""
    return Attempt(
        attempt_id=str(uuid_utils.uuid7()),
        document_id=document_id,
        number=1,
        sample=sample,
        seed=request.seed + sample,
        ending=ending,
        text="",
        prompt_tokens=len(request.prompt_ids),
        output_tokens=0,
        cached_tokens=0,
        queued_s=0.0,
        first_token_s=0.0,
        total_s=total_s,
        started_at=datetime.now(UTC) - timedelta(seconds=total_s),
    )


def failed_attempt(
    request: Request, document_id: str, sample: int, ending: Ending, reason: str | None, clock: float
) -> Attempt:
    """An attempt without text. `clock` is the monotonic time at which it was begun, in seconds."""
    empty = empty_attempt(request, document_id, sample, ending, time.monotonic() - clock)
    return replace(empty, error=reason)


def searched_attempt(
    request: Request, document_id: str, ending: Ending, drawn: Sequence[Token], text: str, clock: float
) -> Attempt:
    """What a beam search found, as one attempt. `clock` is the monotonic time at which it began."""
    empty = failed_attempt(request, document_id, 0, ending, None, clock)
    return replace(empty, text=text, output_tokens=len(drawn), tokens=tuple(drawn))


def likeliest_tokens(output: Any, count: int) -> list[Token]:
    """The first `count` tokens of a one-token output, best first, with the model's own log-probability."""
    ranked = sorted(output.outputs[0].logprobs[0].items(), key=lambda pair: pair[1].logprob, reverse=True)
    return [Token(int(i), one.decoded_token or "", None, float(one.logprob)) for i, one in ranked[:count]]


def own_logprobs(output: Any, answer: Sequence[int]) -> list[float]:
    """The log-probability of each token of `answer`, which was the end of a prefill pass' prompt."""
    found = output.prompt_logprobs or []
    if str(output.outputs[0].finish_reason) == "error" or len(found) < len(answer):
        raise EngineError("the engine gave no log-probabilities for the prompt")
    ranks = found[len(found) - len(answer) :]
    return [float(rank[id_].logprob) for id_, rank in zip(answer, ranks, strict=True)]


def translated(error: Exception) -> EngineError:
    """The error of our tree for what vLLM raised. A dead core is EngineUnavailable: all would fail."""
    if isinstance(error, EngineError):
        return error
    name = type(error).__name__
    reason = str(error) or name
    if name == "EngineDeadError":
        return EngineUnavailable("the engine's process has died")
    if isinstance(error, TimeoutError):
        return EngineTimeout(reason)
    cause = f"{reason}: {error.__cause__}" if error.__cause__ else reason
    return EngineError(f"{name}: {cause}")


def _timings(metrics: Any) -> tuple[float, float]:
    """Seconds in the queue, and from queueing to the first token: both from the core's monotonic clock."""
    if metrics is None or not metrics.queued_ts:
        return 0.0, 0.0
    queued = max(0.0, metrics.scheduled_ts - metrics.queued_ts)
    return queued, max(0.0, metrics.first_token_ts - metrics.queued_ts)


def _tokens(completion: Any) -> tuple[Token, ...]:
    """The drawn tokens with their log-probability after the mask."""
    known = completion.logprobs or [None] * len(completion.token_ids)
    return tuple(_token(int(id_), ranks) for id_, ranks in zip(completion.token_ids, known, strict=False))


def _token(id_: int, ranks: Any) -> Token:
    if ranks is None or id_ not in ranks:
        return Token(id_, "", None)
    drawn = ranks[id_]
    return Token(id_, drawn.decoded_token or "", float(drawn.logprob))

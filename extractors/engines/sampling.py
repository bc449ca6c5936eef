"""A request and a decoding, as vLLM's sampling parameters. Pure: building is here, sending is not.

See vLLM's `SamplingParams` and `StructuredOutputsParams`. The engine applies the mask, penalties,
temperature, min_p, then top_k and top_p. Log-probabilities are those after the mask.
"""

from __future__ import annotations

from typing import Any

from extractors.engines.identity import REPETITION
from schemas.decoding import Decoding
from schemas.records import Request

# A pass over a prompt: it draws one token, which nobody looks at.
PREFILL = {"temperature": 0.0, "max_tokens": 1, "prompt_logprobs": 0}


def parameters(request: Request, decoding: Decoding, sample: int) -> Any:
    """`SamplingParams` for one sample; its seed is the request's plus the sample's number."""
    from vllm.sampling_params import RepetitionDetectionParams, RequestOutputKind, SamplingParams

    plain = drawing(request, decoding, sample)
    plain["repetition_detection"] = RepetitionDetectionParams(**plain["repetition_detection"])
    return SamplingParams(
        **plain,
        structured_outputs=structured(request, decoding),
        output_kind=RequestOutputKind.FINAL_ONLY,
    )


def drawing(request: Request, decoding: Decoding, sample: int) -> dict[str, Any]:
    """How one sample is drawn, as plain values under vLLM's names: a server's JSON takes the same ones."""
    return {
        "n": 1,
        "temperature": decoding.temperature,
        "top_p": decoding.top_p,
        "top_k": decoding.top_k,
        "min_p": decoding.min_p,
        "repetition_penalty": decoding.repetition_penalty,
        "seed": None if decoding.greedy else request.seed + sample,
        "max_tokens": request.max_tokens,
        "logprobs": 0,
        "repetition_detection": repetition(request),
    }


def repetition(request: Request) -> dict[str, int]:
    """When an answer is a loop: a repeated pattern that no list of the schema has room for."""
    return {**REPETITION, "min_count": max(REPETITION["min_count"], request.longest_list + 1)}


def prefill() -> Any:
    """For a pass over a prompt that gives each token's log-probability.

    They are the model's own: no mask, temperature or penalty has a part in `prompt_logprobs`.
    """
    from vllm.sampling_params import RequestOutputKind, SamplingParams

    plain: dict[str, Any] = PREFILL
    return SamplingParams(**plain, output_kind=RequestOutputKind.FINAL_ONLY)


def distribution() -> Any:
    """For one step that gives the log-probability of every token: the model's own, before any temperature."""
    from vllm.sampling_params import RequestOutputKind, SamplingParams

    return SamplingParams(
        temperature=0.0,
        max_tokens=1,
        logprobs=-1,
        flat_logprobs=True,
        detokenize=False,
        output_kind=RequestOutputKind.FINAL_ONLY,
    )


def one_token(allowed: frozenset[int] | None, likeliest: int) -> Any:
    """For a step of a beam search: the likeliest allowed token, or the `likeliest` first ones without a mask.

    Its log-probabilities are the model's own: `allowed_token_ids` is applied after they are taken.
    """
    from vllm.sampling_params import RequestOutputKind, SamplingParams

    return SamplingParams(
        temperature=0.0,
        max_tokens=1,
        logprobs=likeliest if allowed is None else 0,
        allowed_token_ids=None if allowed is None else sorted(allowed),
        output_kind=RequestOutputKind.FINAL_ONLY,
    )


def structured(request: Request, decoding: Decoding) -> Any:
    """What the decoder enforces, as `StructuredOutputsParams`. Always a new object: vLLM marks it."""
    from vllm.sampling_params import StructuredOutputsParams

    plain = constraint(request, decoding)
    return None if plain is None else StructuredOutputsParams(**plain)


def constraint(request: Request, decoding: Decoding) -> dict[str, Any] | None:
    """What the decoder enforces, under vLLM's names: nothing, JSON syntax, or the schema."""
    if decoding.mode == "prompt":
        return None
    if decoding.mode == "json":
        return {"json_object": True}
    if request.json_schema is None:
        raise ValueError("a guided decoding needs the request to carry its JSON Schema")
    return {"json": request.json_schema}

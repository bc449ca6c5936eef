"""What the mask did, on the real engine, against an independent computation with transformers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from extractors.engines.embedded import EmbeddedEngine
from extractors.legal import Legal
from extractors.likelihood import Likelihood, likelihoods
from extractors.prompts import Prompt
from extractors.scoring import measure, removed_mass, score
from extractors.selection import Judged
from schemas.contract import ExtractionSchema, Money, Reasoning, Text, field
from schemas.decoding import resolve
from schemas.records import Attempt, Ending, Request, Status, Verdict
from tests.engine.test_embedded import RECEIPT, only

pytestmark = pytest.mark.asyncio(loop_scope="session")
TOLERANCE = 0.05  # of a probability: what bfloat16 in the engine may cost


class Slip(ExtractionSchema):
    """A till receipt: the shop and the total. It has no worked example, so the model begins as it likes."""

    reasoning: Reasoning
    company: Text | None = field("The shop's name, as printed.")
    total: Money | None = field("What was paid.")


@dataclass(frozen=True)
class Scored:
    """A guided answer to a receipt, scored and traced, and the distributions that transformers gives."""

    schema: str
    attempt: Attempt
    legal: list[frozenset[int]]
    traced: list[Likelihood]
    independent: list[list[float]]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def scored(engine: EmbeddedEngine, model_dir: Path) -> Scored:
    prompt = Prompt(Slip, engine.tokenizer)
    ids = prompt.encode(RECEIPT)
    attempt = await only(engine, Request("r", ids, prompt.json_schema, 200, 1))
    judged = Judged(attempt, Verdict(Status.ACCEPTED, None, None, ()), ids)
    attempt = (await score(engine, judged, resolve("guided-greedy"))).attempt
    answer = tuple(token.id for token in attempt.tokens)
    legal = Legal(model_dir, "guidance").allowed(prompt.json_schema, answer)
    traced = await likelihoods(engine.distribution, ids, answer, legal)
    return Scored(prompt.json_schema, attempt, legal, traced, by_transformers(model_dir, ids, answer))


def by_transformers(model_dir: Path, prompt: tuple[int, ...], answer: tuple[int, ...]) -> list[list[float]]:
    """The probability of every token at each place of the answer: one forward pass in full precision."""
    import torch
    from transformers import AutoModelForCausalLM

    model: Any = AutoModelForCausalLM.from_pretrained(str(model_dir), dtype=torch.float32)
    with torch.no_grad():
        logits = model(torch.tensor([[*prompt, *answer]])).logits[0, len(prompt) - 1 : -1]
    found: list[list[float]] = torch.softmax(logits.float(), dim=-1).tolist()
    return found


async def test_a_token_is_forced_where_its_masked_log_probability_is_zero(scored: Scored) -> None:
    tokens = scored.attempt.tokens
    assert scored.attempt.ending is Ending.STOP
    assert len(scored.legal) == len(tokens)
    forced = [len(legal) == 1 for legal in scored.legal]
    assert forced == [abs(token.logprob or 0.0) < 1e-5 for token in tokens]
    assert 0.2 < sum(forced) / len(forced) < 1.0


async def test_the_figures_are_those_of_transformers(scored: Scored) -> None:
    places = zip(scored.attempt.tokens, scored.legal, scored.traced, scored.independent, strict=True)
    for token, legal, traced, own in places:
        allowed = math.fsum(own[id_] for id_ in legal)
        raw, masked = own[token.id], own[token.id] / allowed
        assert traced.raw == pytest.approx(raw, abs=TOLERANCE)
        assert traced.masked == pytest.approx(masked, abs=TOLERANCE)
        assert 1 - traced.allowed == pytest.approx(1 - allowed, abs=TOLERANCE)
        assert math.exp(token.raw_logprob or 0.0) == pytest.approx(raw, abs=TOLERANCE)
        assert math.exp(token.logprob or 0.0) == pytest.approx(masked, abs=TOLERANCE)
        assert removed_mass(token) == pytest.approx(1 - allowed, abs=2 * TOLERANCE)


async def test_the_likeliest_tokens_are_those_of_transformers(scored: Scored) -> None:
    for legal, traced, own in zip(scored.legal, scored.traced, scored.independent, strict=True):
        (first, share) = traced.before[0]
        assert share == pytest.approx(own[first], abs=TOLERANCE)
        assert own[first] > max(own) - TOLERANCE
        assert {id_ for id_, _ in traced.after} <= legal


async def test_left_alone_the_model_would_begin_otherwise(scored: Scored, engine: EmbeddedEngine) -> None:
    first = scored.attempt.tokens[0]
    assert engine.tokenizer.name(first.id).startswith("{")
    assert (removed_mass(first) or 0.0) > 0.5
    assert scored.traced[0].before[0][0] != first.id


async def test_an_attempts_figures_come_from_its_tokens(
    scored: Scored, engine: EmbeddedEngine, model_dir: Path
) -> None:
    legal = Legal(model_dir, "guidance")
    done = measure(scored.attempt, engine.tokenizer, resolve("guided-greedy"), scored.schema, legal)
    masses = [removed_mass(token) or 0.0 for token in done.tokens]
    assert done.mask.mean_removed_mass == pytest.approx(sum(masses) / len(masses))
    assert done.mask.max_removed_mass == max(masses) > 0.5
    assert done.mask.log_allowed_mass == pytest.approx(sum(math.log1p(-mass) for mass in masses))
    assert done.mask.forced_share == sum(len(one) == 1 for one in scored.legal) / len(scored.legal)
    assert done.mask.canonical is not None

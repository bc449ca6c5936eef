"""The embedded engine, for real: what comes back, how it ends, and that one failure stays one."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from pathlib import Path

import pytest

from extractors.engines.embedded import EmbeddedEngine
from extractors.engines.identity import engine_versions, model_identity
from extractors.prompts import Prompt
from schemas.decoding import Decoding, resolve
from schemas.errors import EngineError, EngineRefusedSchema
from schemas.receipt.v1 import Receipt
from schemas.records import Attempt, Ending, Request

RECEIPT = """KEDAI BUNGA SDN BHD
NO 7, JALAN MELUR,
50480 KUALA LUMPUR.
DATE 03/08/2017
ROSES 25.00
TOTAL 25.00
"""
# The engine lives in the session's event loop, so its tests do too.
pytestmark = pytest.mark.asyncio(loop_scope="session")
GREEDY = resolve("guided-greedy")


def request(prompt: Prompt, text: str = RECEIPT, max_tokens: int = 200, seed: int = 1) -> Request:
    return Request("r", prompt.encode(text), prompt.json_schema, max_tokens, seed)


async def only(engine: EmbeddedEngine, one: Request, decoding: Decoding = GREEDY) -> Attempt:
    (attempt,) = await engine.generate(one, decoding, "document")
    return attempt


async def test_a_guided_answer_is_compact_complete_and_accounted_for(
    engine: EmbeddedEngine, prompt: Prompt
) -> None:
    first = await only(engine, request(prompt))
    assert first.ending is Ending.STOP
    answer = json.loads(first.text)
    assert list(answer) == list(Receipt.model_fields)
    assert first.text == json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    assert len(first.tokens) == first.output_tokens <= 200
    assert all(token.logprob is not None and token.logprob <= 0 for token in first.tokens)
    assert first.prompt_tokens == len(prompt.encode(RECEIPT))
    assert 0 < first.first_token_s <= first.total_s


async def test_the_static_part_comes_from_the_prefix_cache(engine: EmbeddedEngine, prompt: Prompt) -> None:
    await only(engine, request(prompt, max_tokens=1))
    other = await only(engine, request(prompt, "ANOTHER SHOP\nTOTAL 3.10", max_tokens=1))
    assert prompt.static_tokens // 2 < other.cached_tokens <= prompt.static_tokens


async def test_an_answer_over_its_limit_is_cut_and_says_so(engine: EmbeddedEngine, prompt: Prompt) -> None:
    cut = await only(engine, request(prompt, max_tokens=5))
    assert (cut.ending, cut.output_tokens) == (Ending.LENGTH, 5)


async def test_a_loop_is_stopped_as_repetition(engine: EmbeddedEngine) -> None:
    song = engine.tokenizer.encode_data("la di da, " * 60)
    looped = await only(engine, Request("r", song, None, 300, 1), resolve("prompt-greedy"))
    assert looped.ending is Ending.REPETITION
    assert looped.output_tokens < 300


async def test_a_prompt_over_the_context_fails_alone(engine: EmbeddedEngine, prompt: Prompt) -> None:
    huge = request(prompt, "word " * 3000)
    failed, good = await asyncio.gather(only(engine, huge), only(engine, request(prompt, max_tokens=20)))
    assert failed.ending is Ending.ERROR
    assert "2048" in (failed.error or "")
    assert good.output_tokens == 20


async def test_a_request_that_takes_too_long_is_a_timeout(engine: EmbeddedEngine, prompt: Prompt) -> None:
    hasty = EmbeddedEngine(engine.core, dataclasses.replace(engine.options, timeout_s=0.05), frozenset())
    late = await only(hasty, request(prompt, "TOTAL 9.99"))
    assert (late.ending, late.text) == (Ending.TIMEOUT, "")
    assert "0.05 s" in (late.error or "")
    assert (await only(engine, request(prompt, max_tokens=3))).output_tokens == 3


async def test_a_schema_that_the_backend_cannot_enforce_is_refused_before_any_document(
    engine: EmbeddedEngine, prompt: Prompt
) -> None:
    assert await engine.compile(prompt.json_schema) > 0
    assert await engine.compile(prompt.json_schema) == 0
    clashing = {"type": "object", "properties": {"a": {"not": {"type": "string"}}}, "required": ["a"]}
    with pytest.raises(EngineRefusedSchema, match="guidance"):
        await engine.compile(json.dumps(clashing))


async def test_one_engine_keeps_to_one_backend(engine: EmbeddedEngine, prompt: Prompt) -> None:
    with pytest.raises(EngineError, match="guidance"):
        await engine.generate(request(prompt), Decoding(name="x", backend="xgrammar"), "d")


async def test_samples_have_seeds_of_their_own_and_a_seed_repeats(
    engine: EmbeddedEngine, prompt: Prompt
) -> None:
    hot = Decoding(name="hot", mode="prompt", temperature=1.5, samples=3, selection="vote")
    drawn = await engine.generate(request(prompt, max_tokens=12, seed=256), hot, "d")
    assert [one.seed for one in drawn] == [256, 257, 258]
    assert [one.sample for one in drawn] == [0, 1, 2]
    assert len({one.text for one in drawn}) > 1
    alone = Decoding(name="alone", mode="prompt", temperature=1.5)
    again = [await only(engine, request(prompt, max_tokens=12, seed=257), alone) for _ in range(2)]
    assert again[0].text == again[1].text


async def test_prompts_of_more_tokens_than_one_step_takes_are_drawn_with_seeds(
    engine: EmbeddedEngine, prompt: Prompt
) -> None:
    sampled = Decoding(name="sampled", temperature=0.7)
    texts = [f"{number}\n" + RECEIPT * 12 for number in range(12)]
    drawn = await asyncio.gather(
        *(only(engine, request(prompt, text, max_tokens=4, seed=7), sampled) for text in texts)
    )
    assert sum(one.prompt_tokens for one in drawn) > 3 * engine.max_model_len
    assert [one.error for one in drawn] == [None] * len(texts)


async def test_json_mode_enforces_syntax_and_prompt_mode_nothing(
    engine: EmbeddedEngine, prompt: Prompt
) -> None:
    bare = engine.tokenizer.encode_template("<|im_start|>user\nSay hello.<|im_end|>\n<|im_start|>assistant\n")
    free = await only(engine, Request("r", bare, None, 12, 1), resolve("prompt-greedy"))
    held = await only(engine, Request("r", bare, None, 12, 1), resolve("json-greedy"))
    assert not free.text.lstrip().startswith("{")
    assert held.text.lstrip().startswith("{")


async def test_identity_is_the_same_with_and_without_the_engine(
    engine: EmbeddedEngine, model_dir: Path
) -> None:
    assert engine.identity() == model_identity(model_dir)
    assert engine.versions() == engine_versions()
    assert engine.versions()["vllm"]


async def test_beam_search_keeps_to_the_schema_and_scores_by_the_models_own_odds(
    engine: EmbeddedEngine,
) -> None:
    colour = (
        '{"type":"object","properties":{"c":{"enum":["blue","bright red","green"]}},'
        '"required":["c"],"additionalProperties":false}'
    )
    asked = "<|im_start|>user\nThe colour of grass, as JSON?<|im_end|>\n<|im_start|>assistant\n"
    one = Request("r", engine.tokenizer.encode_template(asked), colour, 30, 1)
    found = await only(engine, one, resolve("guided-beam"))
    assert found.ending is Ending.STOP
    assert json.loads(found.text)["c"] in ("blue", "bright red", "green")
    own = [token.raw_logprob for token in found.tokens]
    assert len(own) == found.output_tokens > 3
    assert all(value is not None and value <= 0 for value in own)
    assert min(value for value in own if value is not None) < -0.5, (
        "an opening brace is not what it would say"
    )

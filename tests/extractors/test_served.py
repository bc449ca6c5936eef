"""The served engine against a small real HTTP server: what is sent, what comes back, who is asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from extractors.engines import sampling
from extractors.engines.served import ServedEngine
from extractors.engines.told import UNKNOWN, Servers, describe, served_identity
from schemas.decoding import Decoding, resolve
from schemas.errors import EngineError
from schemas.records import Attempt, Ending, Request
from tests.extractors.fake_server import Body, FakeServer, Reply
from tests.extractors.scripted import write_tokenizer

GREEDY = resolve("guided-greedy")
SCHEMA = '{"type":"object","properties":{"total":{"type":"string"}},"required":["total"]}'
ASKED = Request("r", (5, 6, 7), SCHEMA, 40, 256)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_tokenizer(tmp_path / "model")


@asynccontextmanager
async def engine_on(
    *fakes: FakeServer, decoding: Decoding = GREEDY, **how: Any
) -> AsyncIterator[ServedEngine]:
    servers = replace(Servers(tuple(one.url for one in fakes), timeout_s=5.0, patience_s=2.0), **how)
    told = await describe(servers, 1.0)
    engine = await ServedEngine.start(servers, told, fakes[0].folder, decoding, 2048)
    try:
        yield engine
    finally:
        await engine.close()


async def only(engine: ServedEngine, request: Request = ASKED, decoding: Decoding = GREEDY) -> Attempt:
    (attempt,) = await engine.generate(request, decoding, "document")
    return attempt


async def test_an_answer_becomes_the_same_record(folder: Path) -> None:
    async with FakeServer(folder) as fake, engine_on(fake) as engine:
        attempt = await only(engine)
    assert (attempt.ending, attempt.text) == (Ending.STOP, fake.answer)
    assert [one.id for one in attempt.tokens] == list(fake.tokenizer.encode_data(fake.answer))
    assert {one.logprob for one in attempt.tokens} == {-1.0}
    assert (attempt.prompt_tokens, attempt.output_tokens) == (3, len(attempt.tokens))
    assert attempt.document_id == "document"


async def test_token_ids_are_sent_with_the_embedded_engines_parameters(folder: Path) -> None:
    async with FakeServer(folder) as fake, engine_on(fake) as engine:
        await only(engine)
    (body,) = fake.documents
    assert body["prompt"] == [5, 6, 7]
    assert body["structured_outputs"] == sampling.constraint(ASKED, GREEDY)
    assert body.items() >= sampling.drawing(ASKED, GREEDY, 0).items()


@pytest.mark.parametrize(("name", "sent"), [("prompt-greedy", None), ("json-greedy", {"json_object": True})])
async def test_other_modes_enforce_less(folder: Path, name: str, sent: object) -> None:
    decoding = resolve(name)
    async with FakeServer(folder) as fake, engine_on(fake, decoding=decoding) as engine:
        await only(engine, replace(ASKED, json_schema=None), decoding)
    assert fake.documents[-1].get("structured_outputs") == sent


async def test_a_vote_asks_once_a_sample_each_with_its_seed(folder: Path) -> None:
    vote = resolve("guided-vote")
    async with FakeServer(folder) as fake, engine_on(fake, decoding=vote) as engine:
        drawn = await engine.generate(ASKED, vote, "document")
    assert [(one.sample, one.seed) for one in drawn] == [(i, 256 + i) for i in range(5)]
    assert sorted(body["seed"] for body in fake.documents) == [256, 257, 258, 259, 260]


async def test_beam_search_is_refused_with_what_to_do(folder: Path) -> None:
    beam = resolve("guided-beam")
    async with FakeServer(folder) as fake:
        with pytest.raises(EngineError, match="ASSAY_ENGINE=embedded"):
            async with engine_on(fake, decoding=beam):
                pass
        async with engine_on(fake) as engine:
            with pytest.raises(EngineError, match="ASSAY_ENGINE=embedded"):
                await only(engine, decoding=beam)


async def test_a_schema_is_compiled_once(folder: Path) -> None:
    async with FakeServer(folder) as fake, engine_on(fake) as engine:
        assert await engine.compile(SCHEMA) > 0
        assert await engine.compile(SCHEMA) == 0
    assert [body.get("structured_outputs") for body in fake.bodies].count({"json": SCHEMA}) == 1


async def test_scoring_is_a_prefill_pass_without_a_mask(folder: Path) -> None:
    async with FakeServer(folder, odds=-2.5) as fake, engine_on(fake) as engine:
        assert await engine.score((5, 6), (7, 8, 9)) == [-2.5, -2.5, -2.5]
    body = fake.bodies[-1]
    assert (body["prompt"], body["prompt_logprobs"], body["max_tokens"]) == ([5, 6, 7, 8, 9], 0, 1)
    assert "structured_outputs" not in body


async def test_the_least_busy_server_is_asked(folder: Path) -> None:
    asked, gate = asyncio.Event(), asyncio.Event()

    async def hold(body: Body) -> None:
        asked.set()
        await gate.wait()

    slow, quick = FakeServer(folder, misbehave=hold), FakeServer(folder)
    async with slow, quick, engine_on(slow, quick) as engine:
        waiting = asyncio.create_task(only(engine))
        await asked.wait()
        assert all([(await only(engine)).ending is Ending.STOP for _ in range(5)])
        gate.set()
        await waiting
    assert (len(slow.documents), len(quick.documents)) == (1, 5)


async def test_a_refusal_is_one(folder: Path) -> None:
    async def refuse(asked: Body) -> Reply:
        said = fake.completion(asked, "", refusal="I cannot help with that.")
        return Reply(json.dumps(said).encode())

    async with FakeServer(folder, misbehave=refuse) as fake, engine_on(fake) as engine:
        attempt = await only(engine)
    assert (attempt.ending, attempt.error) == (Ending.REFUSAL, "I cannot help with that.")


async def test_the_servers_own_timings_are_taken_where_it_tells_them(folder: Path) -> None:
    async def timed(asked: Body) -> Reply:
        said = fake.completion(asked, "{}")
        said["metrics"] = {"queue_time_ms": 20.0, "time_to_first_token_ms": 50.0}
        said["usage"]["prompt_tokens_details"] = {"cached_tokens": 2}
        return Reply(json.dumps(said).encode())

    async with FakeServer(folder, misbehave=timed) as fake, engine_on(fake) as engine:
        attempt = await only(engine)
    assert (attempt.queued_s, attempt.first_token_s, attempt.cached_tokens) == (0.02, 0.05, 2)
    assert attempt.total_s > 0


async def test_identity_says_what_cannot_be_known(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"weights")
    async with FakeServer(folder) as fake, engine_on(fake) as engine:
        identity = engine.identity()
        told = await describe(Servers((fake.url,)), 1.0)
    assert identity["name"] == "small"
    assert identity["root"] == "/m/small"
    assert identity["weights"] == UNKNOWN
    assert len(identity["tokenizer"]) == 64
    assert engine.versions() == {"vllm": "0.32.0"}
    assert len(served_identity(folder, replace(told, root=str(folder)))["weights"]) == 64

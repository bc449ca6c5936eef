"""Whatever a server sends: an attempt that says what was wrong, never a traceback, and never the key."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from extractors.engines.client import MAX_BODY
from schemas.records import Ending
from tests.extractors.fake_server import Body, FakeServer, Reply
from tests.extractors.scripted import write_tokenizer
from tests.extractors.test_served import engine_on, only

Lie = Callable[[FakeServer, Body], Reply]
KEY = "sk-a-very-secret-key"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_tokenizer(tmp_path / "model")


def changed(**choice: object) -> Lie:
    """A usual answer with parts of its choice replaced."""
    return lambda fake, asked: Reply(json.dumps(fake.completion(asked, "{}", **choice)).encode())


def said(text: str, status: int = 200, **headers: str) -> Lie:
    """These very bytes."""
    return lambda fake, asked: Reply(text.encode("utf-8", "surrogatepass"), status, headers)


LIES: dict[str, tuple[Lie, str]] = {
    "no JSON": (said("<html>502</html>"), "answer is none"),
    "cut JSON": (said('{"choices": [{"text": "a'), "answer is none"),
    "JSON of another kind": (said('["choices"]'), "answer is none"),
    "deep JSON": (said("[" * 100_000), "answer is none"),
    "no choice": (said('{"choices": []}'), "choices"),
    "two choices": (
        lambda fake, asked: Reply(
            json.dumps({"choices": fake.completion(asked, "{}")["choices"] * 2}).encode()
        ),
        "choices",
    ),
    "half a surrogate": (said('{"choices": [{"text": "\\ud800"}]}'), "answer is none"),
    "no token ids": (changed(token_ids=None), "no token ids"),
    "ids that are no numbers": (changed(token_ids=["a"]), "token_ids"),
    "ids below the vocabulary": (changed(token_ids=[-1]), "token_ids"),
    "ids above the vocabulary": (changed(token_ids=[10**9], logprobs=None), "vocabulary"),
    "more tokens than asked for": (changed(token_ids=[1] * 41, logprobs=None), "41 tokens"),
    "log-probabilities of other tokens": (
        changed(logprobs={"tokens": ["x"], "token_logprobs": [-1.0]}),
        "log-probabilities",
    ),
    "no numbers as log-probabilities": (
        changed(token_ids=[1], logprobs={"tokens": ["x"], "token_logprobs": [float("nan")]}),
        "token_logprobs",
    ),
    "an answer to another request": (changed(prompt_token_ids=[9, 9]), "another request"),
    "a finish reason of its own": (changed(finish_reason="tired"), "finish_reason tired"),
    "a redirect": (said("", 307, Location="http://127.0.0.1:9/v1/completions"), "redirects"),
    "a compressed answer": (said("x", 200, **{"Content-Encoding": "gzip"}), "compressed"),
    "a bad request with the key in it": (said(f'{{"error": {{"message": "{KEY}\\u0000"}}}}', 400), "400"),
    "an unreadable error": (said("\x00\ufffd" * 9000, 418), "418"),
}


@pytest.mark.parametrize("name", LIES)
async def test_a_lie_is_an_error_of_one_attempt(folder: Path, name: str) -> None:
    lie, reason = LIES[name]

    async def misbehave(asked: Body) -> Reply:
        return lie(fake, asked)

    async with FakeServer(folder, key=KEY, misbehave=misbehave) as fake, engine_on(fake, key=KEY) as engine:
        attempt = await only(engine)
        assert len(fake.documents) == 1, "it would lie again"
        fake.misbehave = None
        assert (await only(engine)).ending is Ending.STOP, "one lie costs one attempt"
    assert (attempt.ending, attempt.text != fake.answer) == (Ending.ERROR, True)
    assert reason in (attempt.error or "")
    assert KEY not in repr(attempt)
    assert len(attempt.error or "") < 500
    assert (attempt.error or "").isprintable()


async def test_a_body_without_end_is_given_up(folder: Path) -> None:
    async def endless(asked: Body) -> Reply:
        return Reply(b" " * (MAX_BODY + 1), length=1 << 40)

    async with FakeServer(folder, misbehave=endless) as fake, engine_on(fake, timeout_s=60.0) as engine:
        attempt = await only(engine)
    assert (attempt.ending, "more than 64 MiB" in (attempt.error or "")) == (Ending.ERROR, True)


async def test_one_that_never_answers_is_a_timeout_and_costs_no_more(folder: Path) -> None:
    async def hang(asked: Body) -> None:
        await asyncio.sleep(60)

    async with FakeServer(folder, misbehave=hang) as fake, engine_on(fake, timeout_s=0.3) as engine:
        attempt = await only(engine)
        assert (attempt.ending, "0.3 s" in (attempt.error or "")) == (Ending.TIMEOUT, True)
        fake.misbehave = None
        assert (await only(engine)).ending is Ending.STOP


async def test_a_drip_is_a_timeout_too(folder: Path) -> None:
    """Each byte comes in time, the whole never does."""

    async def drip(asked: Body) -> Reply:
        await asyncio.sleep(0.2)
        return Reply(b"{", length=1000)

    async with FakeServer(folder, misbehave=drip) as fake, engine_on(fake, timeout_s=0.5) as engine:
        assert (await only(engine)).ending is Ending.TIMEOUT


async def test_the_key_goes_to_its_server_alone(folder: Path) -> None:
    async with FakeServer(folder, key="") as other:

        async def elsewhere(asked: Body) -> Reply:
            return Reply(b"", 308, {"Location": f"{other.url}/v1/completions"})

        async with (
            FakeServer(folder, key=KEY, misbehave=elsewhere) as fake,
            engine_on(fake, key=KEY) as engine,
        ):
            await only(engine)
        assert {seen["authorization"] for seen in fake.seen} == {f"Bearer {KEY}"}
        assert other.seen == []

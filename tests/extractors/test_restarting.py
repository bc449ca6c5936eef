"""An engine that dies: once over anything, again over the same document, and for good."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from extractors.engines.restarting import DEATHS, RestartingEngine
from extractors.engines.tokenizer import Tokenizer
from extractors.engines.turns import Turns
from schemas.decoding import Decoding
from schemas.errors import EngineUnavailable
from schemas.records import Attempt, Ending, Request
from tests.extractors.scripted import ScriptedEngine, write_tokenizer

GREEDY = Decoding(name="g")


@dataclass
class Mortal(ScriptedEngine):
    """Dies, with all that is in flight, when it has taken up a document of `killers`."""

    killers: frozenset[str] = frozenset()
    dead: asyncio.Event = field(default_factory=asyncio.Event)
    beside: int = 0
    flying: int = 0
    closed: bool = False

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:
        self.flying += 1
        self.beside = max(self.beside, self.flying)
        try:
            if document_id in self.killers:
                self.dead.set()
            for _ in range(20):
                await asyncio.sleep(0)
                if self.dead.is_set():
                    raise EngineUnavailable("the engine's process has died")
            return await super().generate(request, decoding, document_id)
        finally:
            self.flying -= 1

    async def close(self) -> None:
        self.closed = True


class Starter:
    """Starts mortals; each life may have other killers."""

    def __init__(self, tokenizer: Tokenizer, *lives: frozenset[str]) -> None:
        self.tokenizer = tokenizer
        self.lives = list(lives)
        self.started: list[Mortal] = []

    async def __call__(self) -> Mortal:
        killers = self.lives[min(len(self.started), len(self.lives) - 1)]
        self.started.append(Mortal(self.tokenizer, ["{}"] * 99, killers=killers))
        return self.started[-1]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    return Tokenizer(write_tokenizer(tmp_path_factory.mktemp("model")))


async def ask(engine: RestartingEngine, document_id: str) -> Ending | str:
    request = Request("r", (1, 2), None, 9, 0)
    try:
        return (await engine.generate(request, GREEDY, document_id))[0].ending
    except EngineUnavailable:
        return "down"


async def run(start: Starter, *documents: str) -> list[Ending | str]:
    engine = RestartingEngine(await start(), start)
    return await asyncio.gather(*(ask(engine, one) for one in documents))


async def test_what_was_in_flight_is_asked_again_one_at_a_time(tokenizer: Tokenizer) -> None:
    start = Starter(tokenizer, frozenset({"b"}), frozenset())
    assert await run(start, "a", "b", "c") == [Ending.STOP] * 3
    assert [one.beside for one in start.started] == [3, 1]
    assert [one.closed for one in start.started] == [True, False]


async def test_the_document_that_killed_it_twice_is_set_aside_and_the_others_are_answered(
    tokenizer: Tokenizer,
) -> None:
    start = Starter(tokenizer, frozenset({"b"}))
    assert await run(start, "a", "b", "c") == [Ending.STOP, Ending.ERROR, Ending.STOP]
    assert len(start.started) == 3


async def test_it_is_named_in_the_attempt(tokenizer: Tokenizer) -> None:
    start = Starter(tokenizer, frozenset({"b"}))
    engine = RestartingEngine(await start(), start)
    (attempt,) = await engine.generate(Request("r", (1,), None, 9, 0), GREEDY, "b")
    assert "died twice over this document" in (attempt.error or "")


async def test_an_engine_that_dies_over_everything_is_down(tokenizer: Tokenizer) -> None:
    start = Starter(tokenizer, frozenset("abcdef"))
    outcomes = await run(start, *"abcdef")
    assert outcomes.count("down") >= len(outcomes) - 1
    assert len(start.started) <= DEATHS


async def test_answers_in_between_begin_the_count_anew(tokenizer: Tokenizer) -> None:
    start = Starter(tokenizer, frozenset({"x", "y", "z"}))
    engine = RestartingEngine(await start(), start)
    found = [await ask(engine, one) for one in ("x", "a", "y", "b", "z", "c")]
    assert found == [Ending.ERROR, Ending.STOP] * 3


async def test_one_alone_is_never_beside_another() -> None:
    turns, seen = Turns(), list[str]()

    async def shared(name: str) -> None:
        async with turns.shared():
            seen.append(f"+{name}")
            await asyncio.sleep(0)
            seen.append(f"-{name}")

    async def alone() -> None:
        async with turns.alone():
            seen.append("alone")
            await asyncio.sleep(0)
            seen.append("done")

    await asyncio.gather(shared("a"), alone(), shared("b"), alone(), shared("c"))
    assert seen[seen.index("alone") + 1] == "done"
    assert seen.count("alone") == 2
    assert all(seen[i + 1] == "done" for i, one in enumerate(seen) if one == "alone")


async def test_who_gives_up_waiting_leaves_the_way_free() -> None:
    turns = Turns()
    async with turns.shared():
        waiting = asyncio.create_task(_enter(turns))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        async with asyncio.timeout(1), turns.shared():
            pass


async def _enter(turns: Turns) -> None:
    async with turns.alone():
        pass

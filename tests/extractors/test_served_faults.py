"""Servers that die, hang, are overloaded, and come back: nothing is lost, and nothing is asked for ever."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from extractors.engines import balance
from schemas.errors import EngineUnavailable
from schemas.records import Ending
from tests.extractors.fake_server import Body, BreakOff, FakeServer, Misbehave, Reply
from tests.extractors.scripted import write_tokenizer
from tests.extractors.test_served import engine_on, only


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_tokenizer(tmp_path / "model")


def first(
    count: int, *, then: Callable[[Body], Awaitable[Reply | None]] | None = None, **reply: object
) -> Misbehave:
    """The first `count` documents get this reply, or the connection breaks off under them."""
    left = [count]

    async def misbehave(asked: Body) -> Reply | None:
        left[0] -= 1
        if left[0] < 0:
            return None if then is None else await then(asked)
        if not reply:
            raise BreakOff
        return Reply(b"{}", **reply)  # type: ignore[arg-type]

    return misbehave


@pytest.mark.parametrize("status", [502, 503, 504])
async def test_what_passes_is_tried_again(folder: Path, status: int) -> None:
    async with FakeServer(folder, misbehave=first(2, status=status)) as fake, engine_on(fake) as engine:
        assert (await only(engine)).ending is Ending.STOP
    assert len(fake.documents) == 3
    assert len({body["seed"] for body in fake.documents}) == 1, "the same request"


@pytest.mark.parametrize("status", [400, 413, 422, 500, 501])
async def test_what_does_not_pass_is_not(folder: Path, status: int) -> None:
    async with FakeServer(folder, misbehave=first(1, status=status)) as fake, engine_on(fake) as engine:
        attempt = await only(engine)
    assert (attempt.ending, len(fake.documents)) == (Ending.ERROR, 1)
    assert str(status) in (attempt.error or "")


async def test_an_overloaded_server_is_given_the_time_it_asks_for(folder: Path) -> None:
    busy = first(1, status=429, headers={"Retry-After": "1"})
    async with FakeServer(folder, misbehave=busy) as fake, engine_on(fake) as engine:
        began = time.monotonic()
        assert (await only(engine)).ending is Ending.STOP
        assert time.monotonic() - began >= 1


async def test_a_server_that_is_always_overloaded_costs_a_bounded_wait(folder: Path) -> None:
    busy = first(10_000, status=429)
    async with FakeServer(folder, misbehave=busy) as fake, engine_on(fake, patience_s=2.0) as engine:
        attempt = await only(engine)
    assert (attempt.ending, "429" in (attempt.error or "")) == (Ending.ERROR, True)
    assert 2 <= len(fake.documents) < 8


async def test_a_request_whose_server_dies_goes_to_another(folder: Path) -> None:
    async with FakeServer(folder, misbehave=first(1)) as bad, FakeServer(folder) as good:
        async with engine_on(bad, good) as engine:
            attempt = await only(engine)
        assert attempt.ending is Ending.STOP
        assert (len(bad.documents), len(good.documents)) == (1, 1)


async def test_a_dead_server_is_left_out_and_taken_back(folder: Path) -> None:
    async with FakeServer(folder) as one, FakeServer(folder) as two, engine_on(one, two) as engine:
        await one.kill()
        assert [(await only(engine)).ending for _ in range(5)] == [Ending.STOP] * 5
        assert len(two.documents) == 5
        await one.start()
        async with asyncio.timeout(5):
            while not one.documents:
                assert (await only(engine)).ending is Ending.STOP


async def test_a_run_waits_for_its_only_server(folder: Path) -> None:
    async with FakeServer(folder, delay_s=0.2) as fake, engine_on(fake, patience_s=10.0) as engine:
        tasks = [asyncio.create_task(only(engine)) for _ in range(8)]
        await asyncio.sleep(0.1)
        await fake.kill()
        await asyncio.sleep(0.5)
        assert not any(task.done() for task in tasks)
        await fake.start()
        answers = await asyncio.gather(*tasks)
    assert [one.ending for one in answers] == [Ending.STOP] * 8
    assert len({one.attempt_id for one in answers}) == 8


async def test_one_that_stays_dead_fails_all_after_one_wait_and_serves_again_when_back(folder: Path) -> None:
    async with FakeServer(folder) as fake, engine_on(fake, patience_s=0.6) as engine:
        await fake.kill()
        began = time.monotonic()
        failed = await asyncio.gather(*(only(engine) for _ in range(20)), return_exceptions=True)
        assert {type(one) for one in failed} == {EngineUnavailable}
        assert "no server came back within 0.6 s" in str(failed[0])
        with pytest.raises(EngineUnavailable):
            await only(engine)
        assert time.monotonic() - began < 6, "the wait is once for all, not for each"
        await fake.start()
        async with asyncio.timeout(5):
            while True:
                try:
                    assert (await only(engine)).ending is Ending.STOP
                    break
                except EngineUnavailable:
                    await asyncio.sleep(0.05)


async def test_a_request_that_takes_its_servers_with_it_is_given_up(folder: Path) -> None:
    async with (
        FakeServer(folder, misbehave=first(10_000)) as fake,
        engine_on(fake, patience_s=10.0) as engine,
    ):
        attempt = await only(engine)
        assert (attempt.ending, len(fake.documents)) == (Ending.ERROR, balance.LOSSES)
        assert "3 times a server was lost under this request" in (attempt.error or "")
        fake.misbehave = None
        assert (await only(engine)).ending is Ending.STOP


async def test_a_server_that_is_still_starting_is_waited_for(folder: Path) -> None:
    async with FakeServer(folder) as one, FakeServer(folder) as late:
        await late.kill()
        async with engine_on(one, late) as engine:
            assert (await only(engine)).ending is Ending.STOP
            assert late.documents == []


async def test_closing_ends_the_watch(folder: Path) -> None:
    async with FakeServer(folder) as one, FakeServer(folder) as two, engine_on(one, two) as engine:
        await two.kill()
        await asyncio.gather(only(engine), only(engine))
        await engine.close()
        assert [task for task in asyncio.all_tasks() if "Balancer._watch" in repr(task)] == []

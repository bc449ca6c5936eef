import asyncio

import pytest

from flows.channel import Channel, drain


async def test_all_items_reach_all_takers_and_each_taker_ends() -> None:
    channel: Channel[int] = Channel(2)
    taken: list[int] = []

    async def take(item: int) -> None:
        await asyncio.sleep(0)
        taken.append(item)

    async def put() -> None:
        for item in range(50):
            await channel.put(item)
        await channel.close()

    await asyncio.wait_for(asyncio.gather(put(), drain(channel, take, 7)), 5)
    assert sorted(taken) == list(range(50))


async def test_a_slow_taker_holds_the_putter_back() -> None:
    channel: Channel[int] = Channel(2)
    await channel.put(1)
    await channel.put(2)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(channel.put(3), 0.05)


async def test_take_tells_nothing_yet_from_the_end() -> None:
    channel: Channel[int] = Channel(3)
    assert await channel.take(0.01) == []
    await channel.put(1)
    await channel.close()
    assert await channel.take(1) == [1]
    assert await channel.take(1) is None
    assert await channel.take(1) is None


async def test_an_error_in_one_worker_ends_all() -> None:
    channel: Channel[int] = Channel(9)
    for item in range(5):
        await channel.put(item)

    async def fail(item: int) -> None:
        raise ValueError(item)

    with pytest.raises(ExceptionGroup) as caught:
        await asyncio.wait_for(drain(channel, fail, 3), 5)
    assert caught.group_contains(ValueError)

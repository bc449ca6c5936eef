"""Bounded queues between the stages of a run, so that they overlap and none runs far ahead of the next."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")
_END = object()


class Channel(Generic[T]):
    """What one stage hands to the next: at most `size` items wait. Many may put, many may take."""

    def __init__(self, size: int) -> None:
        self._queue: asyncio.Queue[object] = asyncio.Queue(size)

    def __len__(self) -> int:
        """The items that wait now; the mark of the end counts as one."""
        return self._queue.qsize()

    async def put(self, item: T) -> None:
        """Hand an item on; waits where the next stage is behind."""
        await self._queue.put(item)

    async def close(self) -> None:
        """Nothing more will come. Call it once, when all that put are done."""
        await self._queue.put(_END)

    async def __aiter__(self) -> AsyncIterator[T]:
        """Take items until the channel is closed and empty."""
        while (item := await self._queue.get()) is not _END:
            yield item  # type: ignore[misc]
        # The next taker must see the end too; the slot that this taker freed is still free.
        self._queue.put_nowait(_END)

    async def take(self, timeout_s: float) -> list[T] | None:
        """What comes within `timeout_s` seconds: one item or none; None when the channel has ended."""
        try:
            async with asyncio.timeout(timeout_s):
                item = await self._queue.get()
        except TimeoutError:
            return []
        if item is _END:
            self._queue.put_nowait(_END)
            return None
        return [item]  # type: ignore[list-item]


async def drain(source: Channel[T], work: Callable[[T], Awaitable[None]], width: int) -> None:
    """Do `work` on all that comes through `source`, `width` at a time. The first error ends all."""

    async def worker() -> None:
        async for item in source:
            await work(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(width):
            group.create_task(worker())

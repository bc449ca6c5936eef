"""Many at once, or one alone: a lock that is shared, or held by one task with nobody beside it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """Who waits to be alone goes before who would share, so that sharing without end cannot keep it out."""

    def __init__(self) -> None:
        self._changed = asyncio.Condition()
        self._sharing = 0
        self._waiting = 0
        self._taken = False

    @asynccontextmanager
    async def shared(self) -> AsyncIterator[None]:
        """Beside others who share."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self._taken and not self._waiting)
            self._sharing += 1
        try:
            yield
        finally:
            await self._leave()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """With nobody beside."""
        async with self._changed:
            self._waiting += 1
            try:
                await self._changed.wait_for(lambda: not self._taken and not self._sharing)
                self._taken = True
            finally:
                self._waiting -= 1
                self._changed.notify_all()
        try:
            yield
        finally:
            await self._leave()

    async def _leave(self) -> None:
        async with self._changed:
            self._sharing -= not self._taken
            self._taken = False
            self._changed.notify_all()

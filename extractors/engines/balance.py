"""Several servers as one: the least busy one is asked, one that is lost is left out and looked at again.

A request that a server lost goes to another one, or waits until one is back. It is the same request with the
same seed, and only an answer becomes an attempt: nothing is lost, nothing doubled. The waiting has an end
(`patience_s`), and so has a request that takes its servers with it: after `LOSSES` of them it is given up.

Retrying is here and not in a library's decorator, since where to send it next is most of the matter.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from extractors.engines.client import Client, ServerBusy, ServerClosed, ServerLost
from schemas.errors import EngineError, EngineTimeout, EngineUnavailable

LOSSES = 3
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 15.0
_LOG = logging.getLogger(__name__)
T = TypeVar("T")
Examine = Callable[[Client], Awaitable[None]]


def pauses() -> Iterator[float]:
    """Seconds to wait before each new try: doubling, half of it by chance, so that not all come at once."""
    pause = _FIRST_PAUSE_S
    while True:
        yield pause * random.uniform(0.5, 1.0)
        pause = min(2 * pause, _LONGEST_PAUSE_S)


@dataclass
class Server:
    """One server. `lost_at` is the monotonic time at which it went away, None while it is there."""

    client: Client
    in_flight: int = 0
    lost_at: float | None = None
    reason: str = ""
    watcher: asyncio.Task[None] | None = field(default=None, repr=False)

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Counted as in flight."""
        self.in_flight += 1
        try:
            yield
        finally:
            self.in_flight -= 1


@dataclass
class _Met:
    """What one request has met: it is not sent again for ever."""

    patience_s: float
    losses: int = 0
    since: float | None = None
    waits: Iterator[float] = field(default_factory=pauses)

    def loss(self, error: ServerLost) -> None:
        """Count a lost server. Raises EngineError where the request must not be sent again."""
        self.losses += error.working
        if self.losses >= LOSSES:
            raise EngineError(f"{self.losses} times a server was lost under this request: {error}") from error
        if self._waited() > self.patience_s:
            raise EngineError(f"given up after {self.patience_s:g} s: {error}") from error

    def wait(self, error: ServerBusy) -> float:
        """Seconds to wait before the next try. Raises `error` where the patience does not reach so far."""
        pause = max(next(self.waits), error.after_s or 0.0)
        if self._waited() + pause > self.patience_s:
            raise error
        return pause

    def _waited(self) -> float:
        """Seconds since the first trouble."""
        self.since = self.since or time.monotonic()
        return time.monotonic() - self.since


class Balancer:
    """Requests over servers. `examine` raises for a server that is not there or not the one it should be."""

    def __init__(self, clients: Sequence[Client], examine: Examine, patience_s: float) -> None:
        self.servers = [Server(client) for client in clients]
        self._examine = examine
        self._patience_s = patience_s
        self._back = asyncio.Event()

    async def start(self) -> None:
        """Look at every server; one that is not there yet is waited for only where no other is.

        Raises EngineMismatch or ServerClosed for one that is not fit, EngineUnavailable where none comes.
        """
        found = await asyncio.gather(*(self._look(one) for one in self.servers), return_exceptions=True)
        for server, error in zip(self.servers, found, strict=True):
            if isinstance(error, BaseException):
                if isinstance(error, ServerClosed) or not isinstance(error, ServerLost | EngineTimeout):
                    raise error
                self._lose(server, error)
        await self._pick()

    async def post(self, path: str, body: bytes, read: Callable[[str, bytes], T]) -> tuple[T, float]:
        """The answer to `body` as `read` takes it, and the seconds that the server took for it.

        `read` gets the server's address too, and may raise ServerLost for one that must be looked at again.
        Raises EngineUnavailable where no server is back in time, EngineTimeout, and EngineError.
        """
        met = _Met(self._patience_s)
        while True:
            server = await self._pick()
            try:
                said, seconds = await _timed(server, path, body)
                return read(server.client.url, said), seconds
            except ServerLost as error:
                self._lose(server, error)
                met.loss(error)
            except ServerBusy as error:
                await asyncio.sleep(met.wait(error))
            except EngineTimeout as error:
                self._lose(server, error)  # it may hang: the next look tells
                raise

    async def close(self) -> None:
        """Stop looking after servers, and close every connection."""
        watchers = [server.watcher for server in self.servers if server.watcher is not None]
        for watcher in watchers:
            watcher.cancel()
        await asyncio.gather(*watchers, return_exceptions=True)
        await asyncio.gather(*(server.client.close() for server in self.servers))

    async def _pick(self) -> Server:
        """The server with the least in flight; waits for one, as long as the patience lasts."""
        while True:
            there = [server for server in self.servers if server.lost_at is None]
            if there:
                return min(there, key=lambda server: server.in_flight)
            self._back.clear()
            try:
                async with asyncio.timeout(max(0.0, self._patience_left())):
                    await self._back.wait()
            except TimeoutError:
                raise EngineUnavailable(self._reasons()) from None

    def _patience_left(self) -> float:
        """Seconds; counted from the loss of the last server."""
        lost = [server.lost_at for server in self.servers if server.lost_at is not None]
        return max(lost) + self._patience_s - time.monotonic()

    def _reasons(self) -> str:
        reasons = "; ".join(dict.fromkeys(server.reason for server in self.servers))
        return f"no server came back within {self._patience_s:g} s: {reasons}"

    def _lose(self, server: Server, error: EngineError) -> None:
        """Leave a server out, and look at it again and again until it is back."""
        server.reason = str(error)
        if server.lost_at is None:
            server.lost_at = time.monotonic()
            server.watcher = asyncio.create_task(self._watch(server))
            _LOG.warning("left out for now: %s", error)

    async def _watch(self, server: Server) -> None:
        for pause in pauses():
            await asyncio.sleep(pause)
            try:
                await self._look(server)
            except Exception as error:  # noqa: BLE001 - whatever it was, the next look may be better
                server.reason = str(error)
            else:
                server.lost_at = None
                self._back.set()
                _LOG.warning("back again: %s", server.client.url)
                return

    async def _look(self, server: Server) -> None:
        await self._examine(server.client)


async def _timed(server: Server, path: str, body: bytes) -> tuple[bytes, float]:
    began = time.monotonic()
    with server.busy():
        said = await server.client.post(path, body)
    return said, time.monotonic() - began

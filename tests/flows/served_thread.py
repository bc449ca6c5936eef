"""A fake server in a thread of its own, for runs that bring their own event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from tests.extractors.fake_server import FakeServer

T = TypeVar("T")


class Loop:
    """An event loop in a thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Loop:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Run it there, and wait for it here."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)


@contextmanager
def serving(fake: FakeServer) -> Iterator[Loop]:
    """`fake`, served from a thread."""
    with Loop() as loop:
        loop.do(fake.start())
        try:
            yield loop
        finally:
            loop.do(fake.kill())

"""Engines that Ray workers start in tests: fakes behind the real seam, imported by their names."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

from flows.plan import Plan
from schemas.decoding import Decoding
from schemas.records import Attempt, Request
from tests.flows.fake_engine import FakeEngine, receipt_answer


class Signing(FakeEngine):
    """Leaves its process' number in a folder beside the home, once for each request."""

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:
        with (self.folder / str(os.getpid())).open("a") as file:
            file.write(f"{document_id}\n")
        return await super().generate(request, decoding, document_id)

    folder: Path


class Slow(Signing):
    """Takes its time, while the test's file `hold` is there."""

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:
        answer = await super().generate(request, decoding, document_id)
        while (self.folder / "hold").exists():  # noqa: ASYNC110  the one who lets go is another process
            await asyncio.sleep(0.05)
        return answer


class Mortal(Signing):
    """Takes its whole process down over the document whose id is in the test's file `poison`."""

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:
        if document_id == (self.folder / "poison").read_text():
            os.kill(os.getpid(), signal.SIGKILL)
        return await super().generate(request, decoding, document_id)


async def signing(plan: Plan) -> FakeEngine:
    """Starts a fake that signs its work."""
    return _made(Signing, plan)


async def slow(plan: Plan) -> FakeEngine:
    """Starts one that waits while it is held."""
    return _made(Slow, plan)


async def mortal(plan: Plan) -> FakeEngine:
    """Starts one that one document kills."""
    return _made(Mortal, plan)


def _made(kind: type[Signing], plan: Plan) -> Signing:
    engine = kind(plan, 0.01, receipt_answer)
    engine.folder = plan.settings.home.parent / "signed"
    return engine

"""An engine without a model, behind the real seam: it answers from the document's own text, after a while."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from math import log

from extractors.engines.tokenizer import Tokenizer
from extractors.engines.translate import empty_attempt
from flows.pipeline import EngineFactory
from flows.plan import Plan
from schemas.decoding import Decoding
from schemas.errors import EngineRefusedSchema, EngineUnavailable
from schemas.records import Attempt, Ending, Request, Token

Answer = Callable[[str], str]


def receipt_answer(prompt: str) -> str:
    """The company and total of the last receipt in the prompt, as `receipt(number)` wrote it."""
    company = re.findall(r"COMPANY (\d+) SDN BHD", prompt)
    total = re.findall(r"TOTAL (\d+\.\d\d)", prompt)
    found = {
        "company": f"COMPANY {company[-1]} SDN BHD" if company else None,
        "total": total[-1] if company else None,
    }
    return json.dumps(
        {
            "reasoning": "As printed.",
            "company": found["company"],
            "date": None,
            "address": None,
            "total": found["total"],
        }
    )


def receipt(number: int) -> str:
    """A receipt's text that differs for each number."""
    return f"COMPANY {number:04} SDN BHD\nMILK 1 X 2.00\nTOTAL {number}.50\nTHANK YOU\n"


loaded = cache(Tokenizer)


class FakeEngine:
    """Answers with `answer(prompt text)` after `delay_s` seconds. Counts what was in flight at once."""

    def __init__(self, plan: Plan, delay_s: float, answer: Answer) -> None:
        self.tokenizer = loaded(plan.model)
        self.max_model_len = plan.settings.max_model_len
        self.delay_s = delay_s
        self.answer = answer
        self.requests = 0
        self.compiled: list[str] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.closed = False

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:
        self.requests += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self.delay_s)
        finally:
            self.in_flight -= 1
        text = self.answer(self.tokenizer.decode(request.prompt_ids))
        return [self._attempt(request, document_id, text)]

    def _attempt(self, request: Request, document_id: str, text: str) -> Attempt:
        empty = empty_attempt(request, document_id, 0, Ending.STOP, self.delay_s)
        return replace(empty, text=text, output_tokens=len(text) // 4)

    async def compile(self, json_schema: str) -> float:
        self.compiled.append(json_schema)
        return 0.25

    async def score(self, prompt: tuple[int, ...], answer: tuple[int, ...]) -> list[float]:
        return [-1.0] * len(answer)

    def identity(self) -> Mapping[str, str]:
        return {"name": "fake"}

    def versions(self) -> Mapping[str, str]:
        return {}

    async def close(self) -> None:
        self.closed = True


class SpellingEngine(FakeEngine):
    """The same with the tokens that it spells its answer with, each as `_token` makes it."""

    def _attempt(self, request: Request, document_id: str, text: str) -> Attempt:
        ids = self.tokenizer.encode_data(text)
        tokens = tuple(self._token(place, token_id) for place, token_id in enumerate(ids))
        return replace(super()._attempt(request, document_id, text), tokens=tokens)

    def _token(self, place: int, token_id: int) -> Token:
        """The token at a place of the answer, of which nobody knows yet what the mask took."""
        del place
        return Token(token_id, self.tokenizer.name(token_id), log(0.5))


class DownEngine(FakeEngine):
    """An engine that has died: each request finds it gone."""

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:
        raise EngineUnavailable("the engine is down")


class RefusingEngine(FakeEngine):
    """An engine whose backend cannot enforce the schema."""

    async def compile(self, json_schema: str) -> float:
        raise EngineRefusedSchema("guidance cannot enforce the keyword `not`")


class Factory:
    """Starts fakes and keeps them for the test to look at."""

    def __init__(
        self, delay_s: float = 0.0, answer: Answer = receipt_answer, kind: type[FakeEngine] = FakeEngine
    ) -> None:
        self.delay_s = delay_s
        self.answer = answer
        self.kind = kind
        self.started: list[FakeEngine] = []

    async def __call__(self, plan: Plan) -> FakeEngine:
        self.started.append(self.kind(plan, self.delay_s, self.answer))
        return self.started[-1]


def _is_factory(factory: Factory) -> EngineFactory:
    """Checked by the type checker only: the fake has the seam's shape."""
    return factory

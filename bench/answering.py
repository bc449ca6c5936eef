"""Documents and the answers to them, so that all but the engine can be measured without one."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from extractors.engines.tokenizer import Tokenizer
from extractors.engines.translate import empty_attempt
from schemas.decoding import Decoding
from schemas.records import Attempt, Ending, Request, Token

_GOODS = ("NOTEBOOK A5", "PENCIL HB", "GREEN TEA 50G", "BATTERY AA", "SOAP BAR", "OLIVE OIL 1L", "RICE 5KG")


def receipt(number: int, characters: int) -> tuple[str, str]:
    """A receipt of about so many characters and the right answer to it; another for each number."""
    chance = random.Random(number)
    lines: list[str] = []
    cents = 0
    while sum(map(len, lines)) + len(lines) < characters - 160:
        price = chance.randint(100, 9999)
        cents += price
        lines.append(f"{chance.choice(_GOODS)} {chance.randint(1000, 9999)}  1 X  {price / 100:.2f}")
    company, street = f"LANTERN {number:07} SDN BHD", f"{number % 90 + 1}, JALAN KENARI, 47100 PUCHONG"
    total, day = f"{cents / 100:.2f}", chance.randint(1, 28)
    text = "\n".join(
        [company, street, f"DATE {day:02}/11/2025 18:20", *lines, f"TOTAL {total}", "THANK YOU", ""]
    )
    answer = {
        "reasoning": "The name is on top; the line TOTAL says what is paid.",
        "company": company,
        "date": f"2025-11-{day:02}",
        "address": street,
        "total": total,
    }
    return text, json.dumps(answer, separators=(",", ":"))


def write(folder: Path, count: int, characters: int) -> dict[str, str]:
    """Write so many receipts; the answers by document_id."""
    folder.mkdir(parents=True)
    answers: dict[str, str] = {}
    for number in range(count):
        text, answer = receipt(number, characters)
        (folder / f"{number:07}.txt").write_text(text)
        answers[sha256(text.encode()).hexdigest()] = answer
    return answers


class Answering:
    """An engine that knows the answers and takes no time. Its attempts have tokens as a real one's have."""

    def __init__(self, model: Path, answers: Mapping[str, str], max_model_len: int) -> None:
        self.tokenizer = Tokenizer(model)
        self.max_model_len = max_model_len
        self._answers = answers

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:  # noqa: ARG002
        """The known answer."""
        text = self._answers[document_id]
        tokens = self._tokens(text)
        empty = empty_attempt(request, document_id, 0, Ending.STOP, total_s=0.5)
        return [replace(empty, text=text, output_tokens=len(tokens), first_token_s=0.01, tokens=tokens)]

    def _tokens(self, text: str) -> tuple[Token, ...]:
        chance = random.Random(text)
        pieces = [text[start : start + 4] for start in range(0, len(text), 4)]
        return tuple(Token(chance.randrange(49_152), piece, -chance.expovariate(3.0)) for piece in pieces)

    async def compile(self, json_schema: str) -> float:  # noqa: ARG002
        """Nothing is compiled."""
        return 0.0

    async def score(self, prompt: tuple[int, ...], answer: tuple[int, ...]) -> list[float]:  # noqa: ARG002
        """One log-probability a token."""
        return [-0.3] * len(answer)

    def identity(self) -> Mapping[str, str]:
        """There is no model."""
        return {}

    def versions(self) -> Mapping[str, str]:
        """There is no engine."""
        return {}

    async def close(self) -> None:
        """Nothing is open."""

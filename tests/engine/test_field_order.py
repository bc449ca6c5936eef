"""The reasoning is generated before the answers, in every mode: what comes first cannot justify itself."""

from __future__ import annotations

import json

import pytest

from extractors.engines.embedded import EmbeddedEngine
from extractors.prompts import Prompt
from schemas.contract import ExtractionSchema, Reasoning, field
from schemas.decoding import Decoding, resolve
from schemas.receipt.v1 import Receipt
from schemas.records import Attempt, Request

pytestmark = pytest.mark.asyncio(loop_scope="session")
RECEIPT = "KEDAI BUNGA SDN BHD\nNO 7, JALAN MELUR,\nKUALA LUMPUR.\nDATE 03/08/2017\nTOTAL 25.00\n"
ANSWERS = [name for name in Receipt.model_fields if name != "reasoning"]


class Late(ExtractionSchema):
    """Its reasoning comes last, as no schema of ours may have it: the order is the schema's doing."""

    grand_total: int | None = field("The amount.")
    reasoning: Reasoning


async def answer(engine: EmbeddedEngine, prompt: Prompt, decoding: Decoding) -> Attempt:
    schema = prompt.json_schema if decoding.mode == "guided" else None
    request = Request("r", prompt.encode(RECEIPT), schema, 200, 1)
    return (await engine.generate(request, decoding, "d"))[0]


def first_token_of(attempt: Attempt, key: str) -> int | None:
    """The number of the token that completes the key; None where it never came."""
    text = ""
    for number, token in enumerate(attempt.tokens):
        text += token.text
        if f'"{key}"' in text:
            return number
    return None


@pytest.mark.parametrize("name", ["prompt-greedy", "json-greedy", "guided-greedy"])
async def test_the_reasoning_is_drawn_before_every_answer(
    engine: EmbeddedEngine, prompt: Prompt, name: str
) -> None:
    attempt = await answer(engine, prompt, resolve(name))
    reasoning = first_token_of(attempt, "reasoning")
    answers = [first_token_of(attempt, key) for key in ANSWERS]
    drawn = [number for number in answers if number is not None]
    assert reasoning is not None
    assert drawn, f"no answer was drawn at all: {attempt.text}"
    assert reasoning < min(drawn)
    if name == "guided-greedy":
        assert drawn == sorted(drawn)
        assert len(drawn) == len(ANSWERS)


async def test_guided_keeps_to_the_schemas_order_and_not_to_the_prompts(engine: EmbeddedEngine) -> None:
    late, prompted = Prompt(Late, engine.tokenizer), Prompt(Receipt, engine.tokenizer)
    request = Request("r", prompted.encode(RECEIPT), late.json_schema, 200, 1)
    attempt = (await engine.generate(request, resolve("guided-greedy"), "d"))[0]
    assert list(json.loads(attempt.text)) == ["grand_total", "reasoning"]

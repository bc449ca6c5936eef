"""Beam search on a toy whose probabilities can be summed by hand, and the mask of a real grammar."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from extractors.engines.beam import Allowed, GrammarMask, NoMask, search
from extractors.engines.beam_engine import RANKED, Searcher
from extractors.engines.tokenizer import Tokenizer
from schemas.decoding import Decoding
from schemas.errors import EngineRefusedSchema
from schemas.records import Ending, Request, Token
from tests.extractors.scripted import write_tokenizer

A, B, X, Y, Z, END = range(6)
# After a the valid continuation is rare; after b it is common. Greedy takes a.
TOY = {
    (): {A: 0.6, B: 0.4},
    (A,): {X: 0.01, Z: 0.99},
    (B,): {X: 0.45, Y: 0.55},
}


class ToyMask:
    """Only ax, bx and by are valid."""

    def __init__(self, done: tuple[int, ...] = ()) -> None:
        self.done = done

    def allowed(self) -> Allowed:
        nexts = {(): {A, B}, (A,): {X}, (B,): {X, Y}}
        return frozenset(nexts.get(self.done, {END}))

    def after(self, token: int) -> ToyMask:
        return ToyMask((*self.done, token))


async def likeliest(ids: Sequence[int], allowed: Allowed, count: int) -> list[Token]:
    odds = TOY.get(tuple(ids), {END: 1.0})
    kept = [Token(i, "", None, math.log(p)) for i, p in odds.items() if allowed is None or i in allowed]
    return sorted(kept, key=lambda token: -(token.raw_logprob or 0.0))[:count]


@pytest.mark.parametrize(("width", "expected"), [(1, [A, X]), (2, [B, Y])])
async def test_two_beams_find_the_likeliest_valid_answer_and_one_does_not(
    width: int, expected: list[int]
) -> None:
    ending, drawn = await search(likeliest, ToyMask(), width, 10, frozenset({END}))
    assert (ending, [token.id for token in drawn]) == (Ending.STOP, expected)


class Engine:
    """A vLLM whose next token is A, B, … in this order, and that counts what it is asked."""

    def __init__(self, vocabulary: int) -> None:
        self.vocabulary = vocabulary
        self.asked: list[int] = []

    async def output(self, ids: Sequence[int], parameters: Any) -> Any:
        allowed = parameters.allowed_token_ids or range(self.vocabulary)
        self.asked.append(len(parameters.allowed_token_ids or ()))
        best = sorted(allowed)[: max(1, parameters.logprobs)]
        ranked = {i: SimpleNamespace(logprob=-0.1 * i, decoded_token=str(i)) for i in best}
        return SimpleNamespace(outputs=[SimpleNamespace(token_ids=[best[0]], logprobs=[ranked])])


@pytest.mark.parametrize(
    ("allowed", "found", "asked"),
    [
        (frozenset(range(5, 200)), [5, 6], [0]),  # a wide choice: its best are among the best of all
        (frozenset(range(RANKED - 1, 200)), [RANKED - 1, RANKED], [0, 200 - RANKED]),  # one of them is
        (frozenset({150, 160}), [150, 160], [2, 1]),  # a narrow one is asked for itself
        (frozenset({150}), [150], [1]),
        (None, [0, 1], [0]),
    ],
)
async def test_the_best_allowed_tokens_with_few_requests(
    allowed: Allowed, found: list[int], asked: list[int], tmp_path: Path
) -> None:
    pytest.importorskip("vllm")
    engine = Engine(200)
    config = SimpleNamespace(hf_config=SimpleNamespace(eos_token_id=0), get_vocab_size=lambda: 200)
    free = Decoding(name="free", mode="prompt", beam_width=2)
    searcher = Searcher(engine.output, config, tmp_path, Request("r", (1, 2), "{}", 10, 1), free)
    assert [token.id for token in await searcher.likeliest((), allowed, 2)] == found
    assert engine.asked == asked


async def test_without_a_mask_the_likeliest_of_all_wins() -> None:
    _, drawn = await search(likeliest, NoMask(), 2, 10, frozenset({END}))
    assert [token.id for token in drawn] == [A, Z]


async def test_a_search_that_meets_its_limit_says_so() -> None:
    ending, drawn = await search(likeliest, ToyMask(), 2, 1, frozenset({END}))
    assert (ending, [token.id for token in drawn]) == (Ending.LENGTH, [A])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tokenizer(tmp_path_factory.mktemp("model"))


def test_the_grammars_mask_leads_through_a_valid_answer_to_the_end(folder: Path) -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"enum": ["x", "y"]}},
        "required": ["a"],
        "additionalProperties": False,
    }
    tokenizer = Tokenizer(folder)
    raw = (folder / "tokenizer.json").read_text()
    mask = GrammarMask.compiled(json.dumps(schema), raw, len(json.loads(raw)["model"]["vocab"]), 2)
    for token in tokenizer.encode_data('{"a":"x"}'):
        allowed = mask.allowed()
        assert allowed is not None
        assert token in allowed
        assert not allowed & set(tokenizer.encode_data(" z"))
        mask = mask.after(token)  # type: ignore[assignment]
    assert mask.allowed() == frozenset({2})


def test_a_schema_that_guidance_cannot_enforce_is_refused(folder: Path) -> None:
    clash = '{"type":"object","properties":{"a":{"not":{"type":"string"}}}}'
    with pytest.raises(EngineRefusedSchema, match="not"):
        GrammarMask.compiled(clash, (folder / "tokenizer.json").read_text(), 300, 2)

"""In which order the engine bends and cuts the distribution, seen from what it draws.

Temperature 2 flattens: a token that has 1 % of the likeliest one's odds has 10 % of them afterwards. So where
the temperature comes first a cut keeps more tokens than where the cut comes first, and draws show it.
"""

from __future__ import annotations

import asyncio
import math

import pytest

from extractors.engines.embedded import EmbeddedEngine
from schemas.decoding import Decoding
from schemas.records import Request

pytestmark = pytest.mark.asyncio(loop_scope="session")
ASKED = "<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\nThe capital is"
DRAWS = 32
HOT = 2.0  # the most that vLLM takes
COLOUR = '{"type":"object","properties":{"c":{"type":"integer"}},"required":["c"]}'


async def draws(
    engine: EmbeddedEngine, decoding: Decoding, ids: tuple[int, ...], schema: str | None = None
) -> set[int]:
    """The distinct tokens that come next, in as many draws as there are seeds."""
    requests = [Request(f"{seed}", ids, schema, 1, seed) for seed in range(DRAWS)]
    found = await asyncio.gather(*(engine.generate(one, decoding, "d") for one in requests))
    assert [attempt.error for attempts in found for attempt in attempts] == [None] * DRAWS
    return {attempt.tokens[0].id for attempts in found for attempt in attempts}


def kept_by_top_p(odds: dict[int, float], temperature: float, top_p: float) -> set[int]:
    """The nucleus (Holtzman et al. 2020): the likeliest tokens whose odds first sum to `top_p`."""
    scaled = {id_: math.exp(logprob / temperature) for id_, logprob in odds.items()}
    total, mass, kept = sum(scaled.values()), 0.0, set[int]()
    for id_ in sorted(scaled, key=lambda one: scaled[one], reverse=True):
        kept.add(id_)
        mass += scaled[id_] / total
        if mass >= top_p:
            return kept
    return kept


def kept_by_min_p(odds: dict[int, float], temperature: float, min_p: float) -> set[int]:
    """The tokens that have at least `min_p` of the likeliest one's odds (Nguyen et al. 2024)."""
    best = max(odds.values())
    return {id_ for id_, logprob in odds.items() if math.exp((logprob - best) / temperature) >= min_p}


async def test_the_temperature_comes_before_top_p(engine: EmbeddedEngine) -> None:
    ids = engine.tokenizer.encode_template(ASKED)
    odds = await engine.distribution(ids)
    best = max(odds.values())
    hot = math.exp(best / HOT) / sum(math.exp(logprob / HOT) for logprob in odds.values())
    top_p = (math.exp(best) + hot) / 2
    first, last = kept_by_top_p(odds, HOT, top_p), kept_by_top_p(odds, 1.0, top_p)
    assert len(last) == 1 < len(first), "the two orders must differ for the draws to tell them apart"
    drawn = await draws(engine, Decoding(name="x", mode="prompt", temperature=HOT, top_p=top_p), ids)
    assert len(drawn) > 1
    assert drawn <= first


async def test_the_temperature_comes_before_min_p(engine: EmbeddedEngine) -> None:
    ids = engine.tokenizer.encode_template(ASKED)
    odds = await engine.distribution(ids)
    best, second = sorted(odds.values(), reverse=True)[:2]
    min_p = math.exp((second - best) * 0.75)
    first, last = kept_by_min_p(odds, HOT, min_p), kept_by_min_p(odds, 1.0, min_p)
    assert len(last) == 1 < len(first)
    drawn = await draws(engine, Decoding(name="x", mode="prompt", temperature=HOT, min_p=min_p), ids)
    assert len(drawn) > 1
    assert drawn <= first


async def test_a_low_temperature_lets_min_p_cut_what_it_would_keep(engine: EmbeddedEngine) -> None:
    """The same from the other side: a token that stands at temperature 1 is gone at 0.2."""
    ids = engine.tokenizer.encode_template(
        "<|im_start|>user\nName a colour.<|im_end|>\n<|im_start|>assistant\n"
    )
    odds = await engine.distribution(ids)
    ranked = sorted(odds.values(), reverse=True)
    min_p = math.exp(ranked[1] - ranked[0]) * 0.9
    assert len(kept_by_min_p(odds, 1.0, min_p)) > 1
    cold = kept_by_min_p(odds, 0.05, min_p)
    assert len(cold) == 1
    assert await draws(engine, Decoding(name="x", mode="prompt", temperature=0.05, min_p=min_p), ids) == cold


async def test_the_mask_comes_before_them_all(engine: EmbeddedEngine) -> None:
    """A cut before the mask would keep prose alone, and nothing legal would be left to draw."""
    ids = engine.tokenizer.encode_template(ASKED)
    odds = await engine.distribution(ids)
    kept = kept_by_top_p(odds, 0.5, 0.3)
    drawn = await draws(engine, Decoding(name="x", temperature=0.5, top_p=0.3), ids, COLOUR)
    assert {engine.tokenizer.decode([id_])[0] for id_ in drawn} == {"{"}
    assert not drawn & kept


async def test_top_k_keeps_so_many(engine: EmbeddedEngine) -> None:
    ids = engine.tokenizer.encode_template(ASKED)
    odds = await engine.distribution(ids)
    likeliest = set(sorted(odds, key=lambda id_: odds[id_], reverse=True)[:3])
    drawn = await draws(engine, Decoding(name="x", mode="prompt", temperature=HOT, top_k=3), ids)
    assert len(drawn) > 1
    assert drawn <= likeliest

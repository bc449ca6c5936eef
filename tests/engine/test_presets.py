"""Every preset on the real engine: as many attempts as it names, each drawn as it says, one answer chosen."""

from __future__ import annotations

import json

import pytest

from extractors.engines.embedded import EmbeddedEngine
from extractors.extract import extract_document
from extractors.prompts import Prompt
from flows.checker import Checker
from schemas.decoding import PRESETS, Decoding
from schemas.records import Ending, Extraction, Status
from schemas.registry import load
from schemas.review.v1 import Review
from tests.extractors.scripted import a_document

pytestmark = pytest.mark.asyncio(loop_scope="session")
REVIEW = "The lamp arrived on time, works well and looks better than in the picture. I would buy it again."
# How many attempts a preset may need for one document.
ATTEMPTS = {
    "guided-vote": {5},
    "guided-verified": {1, 2, 3},
    "guided-aligned": {8},
    "prompt-retry": {1, 2, 3},
}


async def extracted(engine: EmbeddedEngine, decoding: Decoding) -> Extraction:
    schema = load().resolve("review@1")
    return await extract_document(
        a_document(REVIEW),
        engine=engine,
        prompt=Prompt(Review, engine.tokenizer),
        schema=schema,
        decoding=decoding.model_copy(update={"max_tokens": 60}),
        recipe_id="recipe",
        run_id="run",
        validate=Checker(Review),
    )


@pytest.mark.parametrize("name", PRESETS)
async def test_a_preset_runs_and_each_of_its_attempts_is_kept(engine: EmbeddedEngine, name: str) -> None:
    decoding = PRESETS[name]
    found = await extracted(engine, decoding)
    attempts = found.attempts
    assert len(attempts) in ATTEMPTS.get(name, {1})
    assert len({one.attempt_id for one in attempts}) == len(attempts)
    assert {one.ending for one in attempts} <= {Ending.STOP, Ending.LENGTH, Ending.REPETITION}
    assert all(one.tokens and one.prompt_tokens for one in attempts)
    if decoding.samples > 1:
        assert len({one.seed for one in attempts}) == len(attempts)
    if decoding.mode == "guided":
        finished = [one for one in attempts if one.ending is Ending.STOP]
        assert finished
        assert all(set(json.loads(one.text)) == set(Review.model_fields) for one in finished)
    if decoding.selection == "aligned":
        assert found.effective_samples is not None
        assert 1.0 <= found.effective_samples <= 8.0
    assert found.status in (Status.ACCEPTED, Status.FLAGGED, Status.REJECTED)
    assert found.attempt_id in {one.attempt_id for one in attempts}

"""The life of one document: every way ends as one extraction, with each attempt kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from extractors.attempts import seed_for
from extractors.engines.tokenizer import Tokenizer
from extractors.extract import extract_document
from extractors.prompts import Prompt
from schemas.contract import ExtractionSchema, Reasoning, Text, field
from schemas.decoding import Decoding, resolve
from schemas.errors import EngineError, EngineTimeout, EngineUnavailable
from schemas.records import (
    Category,
    Document,
    Ending,
    Extraction,
    FieldResult,
    Finding,
    Level,
    Match,
    Severity,
    Status,
    Verdict,
)
from schemas.registry import SchemaVersion
from tests.extractors.scripted import Answer, ScriptedEngine, a_document, write_tokenizer


class Note(ExtractionSchema):
    """A short note."""

    instructions = "Read the note."
    reasoning: Reasoning
    author: Text | None = field("Who wrote it.")


GOOD = '{"reasoning":"","author":"Ann"}'
BEN = '{"reasoning":"","author":"Ben"}'
FLAGGED = '{"reasoning":"","author":"Zoe"}'
SCHEMA = SchemaVersion("note", 1, "note@1", Note, "f", released=False, lock=Path("none"))
SAMPLED = Decoding(name="s", temperature=0.7, retries="resample", max_attempts=3)


def check(text: str, document: Document) -> Verdict:
    """A validator of a few lines: JSON, the key, and whether the author stands in the document."""
    try:
        value: dict[str, Any] = json.loads(text)
    except ValueError:
        return refused(Category.SYNTAX_ERROR, "not JSON")
    if "author" not in value:
        return refused(Category.MISSING_FIELD, "author is missing")
    fields = (FieldResult("/author", json.dumps(value["author"]), Match.VERBATIM),)
    if value["author"] not in document.text:
        found = refused(Category.UNGROUNDED, "the author is not in the document")
        return Verdict(Status.FLAGGED, found.level, found.category, found.findings, fields, value)
    return Verdict(Status.ACCEPTED, None, None, (), fields, value)


def refused(category: Category, message: str) -> Verdict:
    finding = Finding(category.level, "r", Severity.ERROR, message, "/author", category)
    return Verdict(Status.REJECTED, category.level, category, (finding,))


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    return Tokenizer(write_tokenizer(tmp_path_factory.mktemp("model")))


class Bench:
    """An engine's script, run on one document."""

    def __init__(self, tokenizer: Tokenizer, script: Sequence[Answer], **changes: Any) -> None:
        self.engine = ScriptedEngine(tokenizer, script, **changes)
        self.prompt = Prompt(Note, tokenizer)

    async def run(
        self,
        decoding: Decoding | str = "guided-greedy",
        document: Document | None = None,
        validate: Any = check,
    ) -> Extraction:
        return await extract_document(
            document or a_document("Ann and Ben wrote this"),
            engine=self.engine,
            prompt=self.prompt,
            schema=SCHEMA,
            decoding=resolve(decoding) if isinstance(decoding, str) else decoding,
            recipe_id="recipe",
            run_id="run",
            validate=validate,
        )


async def test_a_good_answer_is_accepted_with_its_value_and_attempt(tokenizer: Tokenizer) -> None:
    done = await Bench(tokenizer, [GOOD]).run()
    assert (done.status, done.level, done.category, done.message) == (Status.ACCEPTED, None, None, None)
    assert json.loads(done.value or "") == {"reasoning": "", "author": "Ann"}
    assert [one.attempt_id for one in done.attempts] == [done.attempt_id]
    assert (done.run_id, done.recipe_id, done.schema) == ("run", "recipe", "note@1")
    assert [one.pointer for one in done.fields] == ["/author"]


async def test_a_document_that_could_not_be_read_never_reaches_the_engine(tokenizer: Tokenizer) -> None:
    bench = Bench(tokenizer, [])
    unread = a_document("", category=Category.ENCRYPTED, message="a password is needed")
    done = await bench.run(document=unread)
    assert (done.status, done.level, done.category) == (Status.REJECTED, Level.READ, Category.ENCRYPTED)
    assert (done.message, done.attempts, bench.engine.requests) == ("a password is needed", (), [])


async def test_a_document_that_leaves_no_room_is_too_long(tokenizer: Tokenizer) -> None:
    bench = Bench(tokenizer, [GOOD], max_model_len=700)
    done = await bench.run(document=a_document("Ann " * 400))
    assert (done.status, done.level, done.category) == (Status.REJECTED, Level.FIT, Category.TOO_LONG)
    assert bench.engine.requests == []
    assert "700" in (done.message or "")


@pytest.mark.parametrize(
    ("ending", "status", "category"),
    [
        (Ending.LENGTH, Status.REJECTED, Category.TRUNCATED),
        (Ending.REPETITION, Status.REJECTED, Category.REPETITION),
        (Ending.REFUSAL, Status.REJECTED, Category.REFUSED),
        (Ending.ERROR, Status.FAILED, Category.ENGINE_ERROR),
        (Ending.TIMEOUT, Status.FAILED, Category.TIMEOUT),
        (Ending.ABORT, Status.FAILED, Category.ABORTED),
    ],
)
async def test_each_ending_has_its_category(
    tokenizer: Tokenizer, ending: Ending, status: Status, category: Category
) -> None:
    done = await Bench(tokenizer, [ending]).run()
    assert (done.status, done.level, done.category) == (status, Level.DECODE, category)
    assert [one.ending for one in done.attempts] == [ending]
    assert done.value is None


@pytest.mark.parametrize(
    ("error", "category"),
    [
        (EngineUnavailable("down"), Category.ENGINE_ERROR),
        (EngineTimeout("late"), Category.TIMEOUT),
        (EngineError("odd"), Category.ENGINE_ERROR),
        (RuntimeError("crash"), Category.ENGINE_ERROR),
    ],
)
async def test_an_engine_that_raises_fails_the_document_and_leaves_a_row(
    tokenizer: Tokenizer, error: Exception, category: Category
) -> None:
    done = await Bench(tokenizer, [error]).run()
    assert (done.status, done.category, len(done.attempts)) == (Status.FAILED, category, 1)
    assert str(error) in (done.attempts[0].error or "")
    assert str(error) in (done.message or "")


async def test_a_validator_that_crashes_costs_this_document_only(tokenizer: Tokenizer) -> None:
    def crash(text: str, document: Document) -> Verdict:
        raise KeyError("a bug")

    done = await Bench(tokenizer, [GOOD]).run(validate=crash)
    assert (done.status, done.category) == (Status.FAILED, Category.ENGINE_ERROR)
    assert "a bug" in (done.message or "")
    assert done.attempts[0].text == GOOD


async def test_a_greedy_decoding_asks_once(tokenizer: Tokenizer) -> None:
    bench = Bench(tokenizer, ["no", GOOD])
    done = await bench.run()
    assert (done.status, done.category, len(bench.engine.requests)) == (
        Status.REJECTED,
        Category.SYNTAX_ERROR,
        1,
    )


async def test_resampling_stops_at_the_first_accepted_answer_and_keeps_all(tokenizer: Tokenizer) -> None:
    bench = Bench(tokenizer, ["no", Ending.TIMEOUT, GOOD, GOOD])
    done = await bench.run(SAMPLED)
    assert (done.status, done.attempt_id) == (Status.ACCEPTED, "attempt-2")
    assert [one.number for one in done.attempts] == [1, 2, 3]
    seeds = [request.seed for request in bench.engine.requests]
    assert seeds == [seed_for(0, done.document_id, number) for number in (1, 2, 3)]
    assert len(set(seeds)) == 3


async def test_a_later_attempt_is_drawn_warmer_where_that_is_asked_for(tokenizer: Tokenizer) -> None:
    warm = Decoding(name="w", retries="resample", max_attempts=3, warmer=0.25)
    bench = Bench(tokenizer, ["no", "no", GOOD])
    assert (await bench.run(warm)).status is Status.ACCEPTED
    assert [one.temperature for one in bench.engine.decodings] == [0.0, 0.25, 0.5]


async def test_the_best_attempt_stands_where_none_is_accepted(tokenizer: Tokenizer) -> None:
    done = await Bench(tokenizer, ["{}", FLAGGED, "no"]).run(SAMPLED)
    assert (done.status, done.category) == (Status.FLAGGED, Category.UNGROUNDED)
    assert (done.attempt_id, len(done.attempts)) == ("attempt-1", 3)


async def test_no_one_asks_again_where_the_engine_is_down(tokenizer: Tokenizer) -> None:
    bench = Bench(tokenizer, ["no", EngineUnavailable("down"), GOOD])
    done = await bench.run(SAMPLED)
    assert (len(bench.engine.requests), len(done.attempts)) == (2, 2)


async def test_feedback_shows_the_model_its_answer_and_the_findings(tokenizer: Tokenizer) -> None:
    bench = Bench(tokenizer, ['{"writer":"Ann"}', GOOD])
    done = await bench.run("prompt-retry")
    assert (done.status, len(done.attempts)) == (Status.ACCEPTED, 2)
    shown = [tokenizer.decode(request.prompt_ids) for request in bench.engine.requests]
    assert "author is missing" not in shown[0]
    assert shown[1].index('{"writer":"Ann"}') < shown[1].index("/author: author is missing")


async def test_feedback_that_does_not_fit_ends_the_attempts(tokenizer: Tokenizer) -> None:
    bench = Bench(tokenizer, ["no " * 900, GOOD], max_model_len=1600)
    done = await bench.run("prompt-retry")
    assert (done.status, done.category) == (Status.REJECTED, Category.SYNTAX_ERROR)
    assert len(bench.engine.requests) == 1


async def test_unguided_requests_carry_no_schema_and_guided_ones_do(tokenizer: Tokenizer) -> None:
    for name, guided in (("prompt-greedy", False), ("json-greedy", False), ("guided-greedy", True)):
        bench = Bench(tokenizer, [GOOD])
        await bench.run(name)
        assert (bench.engine.requests[0].json_schema is not None) is guided


async def test_a_refusal_in_words_is_a_refusal_only_where_nothing_was_enforced(tokenizer: Tokenizer) -> None:
    sorry = "I'm sorry, but I can't help with that."
    assert (await Bench(tokenizer, [sorry]).run("prompt-greedy")).category is Category.REFUSED
    assert (await Bench(tokenizer, ["I think: none"]).run("prompt-greedy")).category is Category.SYNTAX_ERROR
    assert (await Bench(tokenizer, [f"{sorry} {{"]).run("prompt-greedy")).category is Category.SYNTAX_ERROR


async def test_a_vote_lands_the_majority_with_its_agreement(tokenizer: Tokenizer) -> None:
    done = await Bench(tokenizer, [BEN, GOOD, GOOD, "no", Ending.LENGTH]).run("guided-vote")
    assert (done.status, json.loads(done.value or "")["author"]) == (Status.ACCEPTED, "Ann")
    assert [one.agreement for one in done.fields] == [pytest.approx(2 / 3)]
    assert [one.sample for one in done.attempts] == [0, 1, 2, 3, 4]
    assert done.attempt_id in ("attempt-1", "attempt-2")


async def test_a_vote_without_a_voter_is_the_best_of_what_there_is(tokenizer: Tokenizer) -> None:
    done = await Bench(tokenizer, ["no", "{}", Ending.LENGTH, "no", "no"]).run("guided-vote")
    assert (done.status, done.category) == (Status.REJECTED, Category.MISSING_FIELD)


async def test_verified_stops_at_the_first_that_holds(tokenizer: Tokenizer) -> None:
    bench = Bench(tokenizer, [FLAGGED, GOOD, BEN])
    done = await bench.run("guided-verified")
    assert (done.status, len(bench.engine.requests)) == (Status.ACCEPTED, 2)
    assert [one.sample for one in done.attempts] == [0, 1]


def test_seeds_are_the_same_in_every_run_and_leave_room_for_samples() -> None:
    seeds = {seed_for(seed, name, number) for seed in (0, 1) for name in ("a", "b") for number in (1, 2)}
    assert len(seeds) == 8
    assert all(seed % 256 == 0 and 0 <= seed < 2**40 for seed in seeds)
    assert seed_for(0, "a", 1) == seed_for(0, "a", 1)

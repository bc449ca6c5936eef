"""Which answers are scored, what is told of their mask, and that no answer is lost over it."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from extractors.engines.tokenizer import Tokenizer
from extractors.extract import extract_document
from extractors.field_scores import with_scores
from extractors.legal import Legal
from extractors.prompts import Prompt
from extractors.scoring import SAMPLE_SHARE, Scorer, is_sampled, measure, score
from extractors.selection import Judged
from schemas.decoding import Decoding, resolve
from schemas.errors import EngineError
from schemas.records import Attempt, Ending, Extraction, FieldResult, Match, Status, Token, Verdict
from tests.extractors.scripted import ScriptedEngine, a_document, write_tokenizer
from tests.extractors.test_extract import FLAGGED, GOOD, SCHEMA, Note, check
from tests.extractors.test_selection import judged

ALIGNED = resolve("guided-aligned")
BAD = "no"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tokenizer(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def tokenizer(folder: Path) -> Tokenizer:
    return Tokenizer(folder)


async def run(
    engine: ScriptedEngine, scorer: Scorer, decoding: Decoding | None = None, text: str = "Ann wrote this"
) -> Extraction:
    return await extract_document(
        a_document(text),
        engine=engine,
        prompt=Prompt(Note, engine.tokenizer),
        schema=SCHEMA,
        decoding=decoding or resolve("guided-greedy"),
        recipe_id="recipe",
        run_id="run",
        validate=check,
        scorer=scorer,
    )


def drawn(tokenizer: Tokenizer, text: str, *, end: bool = True, **changes: object) -> Attempt:
    """An attempt whose tokens are the tokenizer's own for `text`, each of them at -0.5."""
    ids = [*tokenizer.encode_data(text), *([2] if end else [])]
    tokens = tuple(Token(id_, "", -0.5) for id_ in ids)
    return replace(judged({}).attempt, text=text, tokens=tokens, **changes)  # type: ignore[arg-type]


def test_a_twentieth_is_sampled_and_always_the_same() -> None:
    ids = [hashlib.sha256(str(i).encode()).hexdigest() for i in range(8000)]
    chosen = [one for one in ids if is_sampled(one)]
    assert len(chosen) / len(ids) == pytest.approx(SAMPLE_SHARE, abs=0.01)
    assert chosen == [one for one in ids if is_sampled(one)]


def test_who_is_due() -> None:
    sampled = next(one for one in map(str, range(999)) if is_sampled(one))
    other = next(one for one in map(str, range(999)) if not is_sampled(one))
    due = {
        (scoring, status): (Scorer(scoring).is_due(sampled, status), Scorer(scoring).is_due(other, status))
        for scoring in ("off", "flagged", "sample", "all")
        for status in (Status.ACCEPTED, Status.FLAGGED)
    }
    assert due == {
        ("off", Status.ACCEPTED): (False, False),
        ("off", Status.FLAGGED): (False, False),
        ("flagged", Status.ACCEPTED): (False, False),
        ("flagged", Status.FLAGGED): (True, True),
        ("sample", Status.ACCEPTED): (True, False),
        ("sample", Status.FLAGGED): (True, False),
        ("all", Status.ACCEPTED): (True, True),
        ("all", Status.FLAGGED): (True, True),
    }


async def test_scoring_lands_the_removed_mass_of_the_attempt(tokenizer: Tokenizer) -> None:
    engine = ScriptedEngine(tokenizer, [GOOD], own_logprob=-1.1)  # masked it was -0.1
    done = await run(engine, Scorer("all"))
    (attempt,) = done.attempts
    removed = 1 - math.exp(-1.0)
    assert [token.raw_logprob for token in attempt.tokens] == [-1.1]
    assert attempt.mask.mean_removed_mass == pytest.approx(removed)
    assert attempt.mask.max_removed_mass == pytest.approx(removed)
    assert attempt.mask.log_allowed_mass == pytest.approx(-1.0)
    assert engine.scored == [(engine.requests[0].prompt_ids, (5,))]


async def test_only_what_is_due_is_scored(tokenizer: Tokenizer) -> None:
    for scorer, answer, passes in (
        (Scorer("off"), GOOD, 0),
        (Scorer("flagged"), GOOD, 0),
        (Scorer("flagged"), FLAGGED, 1),
    ):
        engine = ScriptedEngine(tokenizer, [answer])
        done = await run(engine, scorer)
        assert len(engine.scored) == passes
        assert (done.attempts[0].mask.mean_removed_mass is not None) is bool(passes)


async def test_without_a_mask_nothing_is_removed_and_no_pass_is_made(tokenizer: Tokenizer) -> None:
    engine = ScriptedEngine(tokenizer, [GOOD])
    done = await run(engine, Scorer("all"), resolve("prompt-greedy"))
    assert engine.scored == []
    assert (done.attempts[0].mask.mean_removed_mass, done.attempts[0].mask.forced_share) == (0.0, 0.0)


async def test_an_answer_stands_though_it_could_not_be_scored(tokenizer: Tokenizer) -> None:
    engine = ScriptedEngine(tokenizer, [GOOD], own_logprob=EngineError("no memory"))
    done = await run(engine, Scorer("all"))
    assert (done.status, done.attempts[0].mask.mean_removed_mass) == (Status.ACCEPTED, None)


async def test_what_the_context_has_no_room_for_stays_unscored(tokenizer: Tokenizer) -> None:
    attempt = replace(judged({}).attempt, tokens=(Token(5, "x", -0.1),) * 9)
    one = Judged(attempt, Verdict(Status.ACCEPTED, None, None, ()), (7,) * 10)
    engine = ScriptedEngine(tokenizer, [], max_model_len=16, own_logprob=-0.1)
    scored = await score(engine, one, resolve("guided-greedy"))
    assert [token.raw_logprob for token in scored.attempt.tokens] == [-0.1] * 5 + [None] * 4
    assert (scored.attempt.mask.mean_removed_mass, scored.attempt.mask.log_allowed_mass) == (0.0, None)


async def test_an_aligned_selection_scores_whatever_is_set_and_draws_among_the_valid(
    tokenizer: Tokenizer,
) -> None:
    engine = ScriptedEngine(tokenizer, [BAD, GOOD, BAD, GOOD, BAD, BAD, BAD, BAD], own_logprob=-0.5)
    done = await run(engine, Scorer("off"), ALIGNED)
    assert done.status is Status.ACCEPTED
    assert done.effective_samples == pytest.approx(2.0)
    assert done.attempt_id in ("attempt-1", "attempt-3")
    assert (len(engine.scored), len(done.attempts)) == (8, 8)
    again = ScriptedEngine(tokenizer, engine.script, own_logprob=-0.5)
    assert (await run(again, Scorer("off"), ALIGNED)).attempt_id == done.attempt_id


async def test_aligned_samples_that_cannot_be_weighed_are_for_the_next_run(tokenizer: Tokenizer) -> None:
    engine = ScriptedEngine(tokenizer, [GOOD] * 8, own_logprob=EngineError("no memory"))
    done = await run(engine, Scorer("off"), ALIGNED)
    assert (done.status, done.effective_samples) == (Status.FAILED, None)


async def test_aligned_without_a_valid_sample_is_the_best_of_what_there_is(tokenizer: Tokenizer) -> None:
    engine = ScriptedEngine(tokenizer, [BAD] * 7 + [Ending.LENGTH])
    done = await run(engine, Scorer("off"), ALIGNED)
    assert (done.status, done.category) == (Status.REJECTED, "syntax_error")


def test_forced_tokens_and_canonical_spelling(folder: Path, tokenizer: Tokenizer) -> None:
    properties = '"properties":{"a":{"enum":["x","yy"]}},"required":["a"],"additionalProperties":false'
    schema = f'{{"type":"object",{properties}}}'
    legal = Legal(folder, "guidance")
    own = measure(drawn(tokenizer, '{"a":"yy"}'), tokenizer, resolve("guided-greedy"), schema, legal)
    ids = [token.id for token in own.tokens]
    counts = legal.counts(schema, ids)
    assert len(counts) == len(ids)
    free = tokenizer.encode_data('{"a":"')  # then x or y
    assert [one == 1 for one in counts] == [i != len(free) for i in range(len(ids))]
    assert own.mask.forced_share == pytest.approx((len(ids) - 1) / len(ids))
    assert own.mask.canonical is True


def test_another_spelling_is_not_canonical(tokenizer: Tokenizer) -> None:
    text = "total of the invoice"
    letters = tuple(Token(id_, "", -0.5) for one in text for id_ in tokenizer.encode_data(one))
    assert len(letters) > len(tokenizer.encode_data(text))
    attempt = replace(drawn(tokenizer, text), tokens=letters)
    told = measure(attempt, tokenizer, resolve("prompt-greedy"), "{}", None)
    assert told.mask.canonical is False


def test_half_a_letter_has_no_spelling(tokenizer: Tokenizer) -> None:
    cut = drawn(tokenizer, "€", end=False)
    attempt = replace(cut, tokens=cut.tokens[:1])
    assert measure(attempt, tokenizer, resolve("prompt-greedy"), "{}", None).mask.canonical is None


def test_each_field_has_the_scores_of_its_own_tokens(tokenizer: Tokenizer) -> None:
    text = '{"a":"12.50","b":null,"c":[7]}'
    attempt = drawn(tokenizer, text)
    spans = tokenizer.spans([token.id for token in attempt.tokens])
    tokens = tuple(
        replace(token, logprob=-1.0 - start, raw_logprob=-2.0 - start) if start < text.index("b") else token
        for token, (start, _) in zip(attempt.tokens, spans, strict=True)
    )
    fields = [
        FieldResult("/a", "12.5", Match.VERBATIM),
        FieldResult("/b", None, Match.NULL),
        FieldResult("/c/0", "7", Match.VERBATIM),
        FieldResult("/missing", "1", Match.ABSENT),
        FieldResult("/c/0", "8", Match.VERBATIM),
    ]
    a, b, c, missing, other = with_scores(fields, replace(attempt, tokens=tokens), tokenizer)
    start, end = text.index('"12'), text.index(",")
    inside = [-1.0 - one for one, stop in spans if one < end and stop > start]
    assert a.logprob == pytest.approx(sum(inside) / len(inside))
    assert a.min_logprob == min(inside)
    assert a.removed_mass == pytest.approx(1 - math.exp(-1))
    assert (b.logprob, b.removed_mass) == (-0.5, None)
    assert (c.logprob, missing.logprob, other.logprob) == (-0.5, None, None)


def test_spans_hold_the_text_of_each_token(tokenizer: Tokenizer) -> None:
    text = json.dumps({"a": "Größe 10 € 請求書"}, ensure_ascii=False)
    ids = [*tokenizer.encode_data(text), 2]
    spans = tokenizer.spans(ids)
    assert tokenizer.decode(ids) == text
    assert spans[-1] == (len(text), len(text))
    assert sorted({i for start, end in spans for i in range(start, end)}) == list(range(len(text)))

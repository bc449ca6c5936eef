"""Selection: votes by field, ties by likelihood, lists by content; and which verdict is the better one."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from extractors.selection import Judged, best, vote, with_agreement
from schemas.records import (
    Attempt,
    Category,
    Ending,
    FieldResult,
    Finding,
    Level,
    Match,
    Severity,
    Status,
    Token,
    Verdict,
)


def judged(answer: Any, logprob: float = -1.0, status: Status = Status.ACCEPTED) -> Judged:
    attempt = Attempt(
        attempt_id=f"{logprob}",
        document_id="d",
        number=1,
        sample=0,
        seed=0,
        ending=Ending.STOP,
        text=json.dumps(answer),
        prompt_tokens=1,
        output_tokens=1,
        cached_tokens=0,
        queued_s=0.0,
        first_token_s=0.0,
        total_s=0.0,
        started_at=datetime.now(UTC),
        tokens=(Token(1, "x", logprob),),
    )
    return Judged(attempt, Verdict(status, None, None, ()))


def elected(*samples: Judged) -> Any:
    result = vote(samples)
    assert result is not None
    return json.loads(result.text)


def test_each_field_goes_to_its_own_majority() -> None:
    samples = [judged({"a": 1, "b": "x"}), judged({"a": 1, "b": "y"}), judged({"a": 2, "b": "y"})]
    assert elected(*samples) == {"a": 1, "b": "y"}


def test_agreement_is_the_winners_share_of_all_voters() -> None:
    result = vote([judged({"a": [{"b/c": 1}]}), judged({"a": [{"b/c": 1}]}), judged({"a": []})])
    assert result is not None
    assert result.agreement == {"/a/0/b~1c": pytest.approx(2 / 3)}


def test_a_null_is_a_vote() -> None:
    assert elected(judged({"a": None}), judged({"a": None}), judged({"a": "5.00"})) == {"a": None}


def test_a_tie_goes_to_the_likelier_sample() -> None:
    assert elected(judged({"a": "less"}, -2.0), judged({"a": "more"}, -0.5)) == {"a": "more"}
    assert elected(judged({"a": "more"}, -0.5), judged({"a": "less"}, -2.0)) == {"a": "more"}


def test_case_and_white_space_do_not_split_a_vote_and_the_likeliest_spelling_stays() -> None:
    samples = [
        judged({"a": "ACME  Ltd"}, -0.1),
        judged({"a": "Acme Ltd"}, -0.2),
        judged({"a": "Other"}, -0.01),
    ]
    assert elected(*samples) == {"a": "ACME  Ltd"}


def test_digits_are_never_folded_together() -> None:
    assert elected(judged({"a": "12.50"}), judged({"a": "12.05"}), judged({"a": "12.05"})) == {"a": "12.05"}
    assert elected(judged({"a": True}), judged({"a": 1}), judged({"a": 1})) == {"a": 1}


def test_numerals_are_one_value_however_many_zeros_and_identifiers_are_not() -> None:
    assert elected(judged({"a": "12.50"}, -0.1), judged({"a": "12.5"}), judged({"a": "9.00"})) == {
        "a": "12.50"
    }
    split = vote([judged({"a": "007"}, -0.1), judged({"a": "7"})])
    assert split is not None
    assert split.agreement == {"/a": 0.5}


def test_a_number_of_json_keeps_its_digits() -> None:
    one = judged({})
    text = '{"a":1234567890123456.10}'
    wide = replace(one, attempt=replace(one.attempt, text=text))
    assert elected(wide, wide) == {"a": "1234567890123456.10"}


def test_rows_are_matched_by_content_not_by_position() -> None:
    bolt, nut = {"name": "bolt", "n": 4}, {"name": "nut", "n": 9}
    wrong = {"name": "nut", "n": 8}
    samples = [
        judged({"rows": [bolt, nut]}, -0.1),
        judged({"rows": [nut, bolt]}),
        judged({"rows": [wrong, bolt]}),
    ]
    assert elected(*samples) == {"rows": [bolt, nut]}


def test_the_commonest_length_of_a_list_wins() -> None:
    samples = [judged({"rows": ["a"]}, -0.1), judged({"rows": ["a", "b"]}), judged({"rows": ["a", "b"]})]
    assert elected(*samples) == {"rows": ["a", "b"]}


def test_only_samples_that_fit_the_schema_vote() -> None:
    bad = judged({"a": 2}, -0.1, Status.REJECTED)
    assert elected(bad, bad, judged({"a": 1}, status=Status.FLAGGED)) == {"a": 1}
    assert vote([bad]) is None


def test_the_nearest_sample_shares_the_most_leaves() -> None:
    near = judged({"a": 1, "b": 2, "c": 3}, -3.0)
    result = vote([judged({"a": 1, "b": 9, "c": 9}, -1.0), near, judged({"a": 7, "b": 2, "c": 3}, -2.0)])
    assert result is not None
    assert result.nearest is near


def test_agreement_is_written_to_its_field() -> None:
    fields = (FieldResult("/a", "1", Match.VERBATIM), FieldResult("/b", None, Match.NULL))
    assert [one.agreement for one in with_agreement(fields, {"/a": 0.6})] == [0.6, None]


def test_the_best_verdict_holds_furthest_up_the_ladder() -> None:
    plain = judged({})

    def at(status: Status, category: Category | None) -> Judged:
        level = category.level if category else None
        return replace(plain, verdict=Verdict(status, level, category, ()))

    failed, unclosed = at(Status.FAILED, Category.TIMEOUT), at(Status.REJECTED, Category.UNCLOSED)
    missing, ungrounded = at(Status.REJECTED, Category.MISSING_FIELD), at(Status.FLAGGED, Category.UNGROUNDED)
    ladder = [failed, unclosed, missing, ungrounded, at(Status.ACCEPTED, None)]
    for lower, higher in itertools.pairwise(ladder):
        assert best([lower, higher]) is higher
        assert best([higher, lower]) is higher


def test_among_equals_fewer_errors_then_more_found_then_likelier() -> None:
    error = Finding(Level.GROUNDING, "absent", Severity.ERROR, "not in the source")
    base = judged({}, -1.0)

    def flagged(errors: int, found: int, one: Judged = base) -> Judged:
        fields = tuple(FieldResult(f"/{i}", "x", Match.VERBATIM) for i in range(found))
        grounding = Category.UNGROUNDED
        return replace(
            one, verdict=Verdict(Status.FLAGGED, grounding.level, grounding, (error,) * errors, fields)
        )

    fewer, more = flagged(1, 0), flagged(2, 5)
    assert best([more, fewer]) is fewer
    assert best([flagged(1, 1), found := flagged(1, 2)]) is found
    assert best([flagged(1, 1), likelier := flagged(1, 1, judged({}, -0.2))]) is likelier

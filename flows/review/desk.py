"""What the desk does between page and warehouse: look one up, check a correction, record a decision."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from flows.review.answer import as_text, at, labelled, object_of
from flows.review.changes import Change, Changed, changed
from flows.review.fitted import fitted
from schemas.contract import ExtractionSchema
from schemas.errors import UsageError
from schemas.records import Finding, Level, Severity, Status, Verdict
from schemas.registry import Registry
from validators.grounding.index import SourceIndex
from validators.ladder import validate
from warehouse import cases, differences
from warehouse.asking import Questions
from warehouse.evaluations import LabelRow
from warehouse.reviews import Review
from warehouse.rows import field_of, now
from warehouse.runs import new_run_id
from warehouse.store import Warehouse
from warehouse.waiting import Wanted, choices, following, queue


@dataclass(frozen=True)
class Case:
    """One extraction as it stands, with its document and what was decided on it, the newest first.

    `answer` has every place of its `schema`, `given` is the answer as it was, `stored` what the run's checks
    found; `row` holds the rest.
    """

    schema: type[ExtractionSchema]
    row: Mapping[str, Any]
    answer: dict[str, Any]
    given: dict[str, Any] | None
    stored: list[dict[str, Any]]
    raw: str | None
    history: list[dict[str, Any]]

    @cached_property
    def verdict(self) -> Verdict:
        """What the checks say of it now; who only changes it asks them of what it is then."""
        found = self.checked(self.answer)
        if self.answer == self.given:
            return found
        return _unfit(map(_finding, self.stored), found if self.given else None)

    def checked(self, answer: dict[str, Any]) -> Verdict:
        """What the checks would say of another answer."""
        return validate(json.dumps(answer), self.schema, _indexed(self.row["text"]))


@dataclass(frozen=True, slots=True)
class Desk:
    """The desk over one warehouse. Nothing is kept open between two requests.

    `model` is the folder whose tokenizer counts the legal tokens of an attempt.
    """

    warehouse: Warehouse
    registry: Registry
    read_only: bool = False
    model: Path | None = None

    def queue(self, wanted: Wanted, most: int, skip: int) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """The rows that wait, and what there is to choose from: `runs` as rows, the rest as names."""
        with self.warehouse.asking() as ask:
            runs = differences.ended().rows(ask)
            return queue(ask, wanted, most, skip), {**choices(ask), "runs": runs}

    def following(self, wanted: Wanted, run_id: str, document_id: str) -> tuple[str, str] | None:
        """Run and document of what waits after one as it stands; None after the last."""
        with self.warehouse.asking() as ask:
            return following(ask, wanted, run_id, document_id)

    def case(self, run_id: str, document_id: str) -> Case:
        """One extraction. Raises UsageError where there is none, or its schema version is gone."""
        key = (run_id, document_id)
        with self.warehouse.asking() as ask:
            rows = cases.case(*key).rows(ask)
            if not rows:
                raise UsageError("there is no such extraction")
            stored = cases.findings(*key).rows(ask)
            raw, history = _raw(ask, rows[0]), cases.history(*key).rows(ask)
        schema = self.registry.resolve(rows[0]["schema"]).cls
        given = object_of(rows[0]["answer"])
        return Case(schema, rows[0], fitted(schema, given), given, stored, raw, history)

    def check(self, case: Case, change: Change) -> tuple[Changed, Verdict]:
        """The answer with a change made, and what the checks say of it. Nothing is recorded.

        Raises UsageError where the schema allows no such change there.
        """
        done = changed(case.schema, case.answer, change)
        verdict = case.checked(done.answer)
        for finding in verdict.findings:
            if finding.level is Level.SCHEMA and done.decision != "removed" and _is_of(finding, done.place):
                value = as_text(at(done.answer, finding.pointer or ""))
                raise UsageError(f"{value or 'nothing'} is not allowed here: {finding.message}")
        return done, verdict

    def change(self, case: Case, change: Change, who: str, seen: str) -> Changed:
        """Record a change. Raises UsageError, ReviewConflict."""
        done, verdict = self.check(case, change)
        self._record(case, done, verdict, who, seen)
        return done

    def accept(self, case: Case, who: str, seen: str) -> None:
        """Record that a person holds the whole answer right, whatever the checks say.

        Raises UsageError for an answer that does not fit its schema, ReviewConflict.
        """
        if case.verdict.status not in (Status.FLAGGED, Status.ACCEPTED):
            raise UsageError("this is no answer of its schema yet: correct what does not fit first")
        accepted = Changed(case.answer, "accepted", "", "")
        self._record(case, accepted, Verdict(Status.ACCEPTED, None, None, ()), who, seen)

    def _record(self, case: Case, done: Changed, verdict: Verdict, who: str, seen: str) -> None:
        if self.read_only:
            raise UsageError("this desk is for looking only")
        row = case.row
        review = Review(
            review_id=new_run_id(),
            run_id=row["run_id"],
            document_id=row["document_id"],
            schema=row["schema"],
            decision=done.decision,
            pointer=done.pointer,
            status=verdict.status,
            level=verdict.level,
            category=verdict.category,
            value=json.dumps(done.answer, ensure_ascii=False),
            who=who,
            reviewed_at=now(),
            wrong=tuple(field_of(one.pointer or "") for one in verdict.findings if one.severity == "error"),
        )
        self.warehouse.decide(review, _labels(case, review, done), seen)


@lru_cache(maxsize=2)
def _indexed(text: str) -> SourceIndex:
    """A document's index, which takes a second for a long one: a person stays for several changes."""
    return SourceIndex(text)


def _labels(case: Case, review: Review, done: Changed) -> list[LabelRow]:
    """What the decision says of the document, each place once, beside what the model had said."""
    return [
        LabelRow(
            label_id=new_run_id(),
            document_id=review.document_id,
            schema=review.schema,
            pointer=pointer,
            value=json.dumps(value, ensure_ascii=False),
            who=review.who,
            source="review",
            labelled_at=review.reviewed_at,
            before=json.dumps(at(case.answer, pointer), ensure_ascii=False),
            attempt_id=case.row["attempt_id"],
        )
        for pointer, value in dict(labelled(done.answer, done.place)).items()
    ]


def _is_of(finding: Finding, place: str) -> bool:
    """Whether a finding is about what stands at a place, or below it."""
    return finding.pointer is not None and f"{finding.pointer}/".startswith(f"{place}/")


def _raw(ask: Questions, row: Mapping[str, Any]) -> str | None:
    found = cases.raw(row["attempt_id"]).rows(ask) if row["attempt_id"] else []
    return str(found[0]["text"]) if found else None


def _unfit(stored: Iterable[Finding], rest: Verdict | None) -> Verdict:
    """What is wrong with an answer that was none of its schema, beside what `rest` says of what fits."""
    found, fields = (rest.findings, rest.fields) if rest else ((), ())
    return Verdict(Status.REJECTED, None, None, (*stored, *found), fields)


def _finding(row: Mapping[str, Any]) -> Finding:
    return Finding(
        level=Level(row["level"]),
        rule=row["rule"],
        severity=Severity(row["severity"]),
        message=row["message"],
        pointer=row["pointer"],
    )

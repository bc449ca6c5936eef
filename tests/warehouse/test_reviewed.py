"""What people decided, seen by all that tells how documents stand, and by nothing that tells of a run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from schemas.records import Category, Level, Status
from tests.warehouse.samples import RECIPE, document, extraction, sha
from warehouse.reviews import Review
from warehouse.rows import now
from warehouse.shown import called, outcome
from warehouse.store import Warehouse

VALUE = {"reasoning": "r", "total": "62.00", "lines": [{"amount": None}]}


@pytest.fixture
def run(warehouse: Warehouse) -> str:
    """One run: `a` accepted, `b` and `c` flagged, `d` rejected."""
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    ungrounded: dict[str, Any] = {
        "status": Status.FLAGGED,
        "category": Category.UNGROUNDED,
        "value": json.dumps(VALUE),
    }
    found = [
        extraction("a", run_id, value=json.dumps(VALUE)),
        *(extraction(name, run_id, **ungrounded) for name in "bc"),
        extraction("d", run_id, status=Status.REJECTED, category=Category.UNCLOSED, value=None),
    ]
    warehouse.stage(f"s-{run_id}", run_id, map(document, "abcd"), found)
    warehouse.land()
    warehouse.finish_run(run_id, "finished", {})
    return run_id


def decide(warehouse: Warehouse, run_id: str, name: str, pointer: str, **after: Any) -> None:
    """A decision on the document of this name; without more, it accepts the answer as it is."""
    said = {"status": "accepted", "level": None, "category": None, "value": VALUE, "number": 1} | after
    value, number = json.dumps(said.pop("value")), said.pop("number")
    review = Review(
        review_id=f"{name}{number}",
        run_id=run_id,
        document_id=sha(name),
        schema="receipt@1",
        decision="corrected" if pointer else "accepted",
        pointer=pointer,
        value=value,
        who="ada",
        reviewed_at=now(),
        **said,
    )
    warehouse.decide(review, [], f"{name}{number - 1}" if number > 1 else "")


def rerun(
    warehouse: Warehouse, names: str, recipe: str = RECIPE, retry: frozenset[Status] = frozenset()
) -> str:
    """A later run that accepts these documents."""
    run_id = warehouse.start_run("rerun", "receipt@1", recipe, "archive", retry=retry)
    found = [extraction(name, run_id, recipe_id=recipe) for name in names]
    warehouse.stage(f"s-{run_id}", run_id, map(document, names), found)
    warehouse.land()
    warehouse.finish_run(run_id, "finished", {})
    return run_id


def current(warehouse: Warehouse, name: str) -> str:
    found = warehouse.query("SELECT run_id FROM current WHERE document_id = $id", {"id": sha(name)})
    (run_id,) = found["run_id"].to_pylist()
    return str(run_id)


def rows(warehouse: Warehouse, view: str, *columns: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in columns) for row in warehouse.query(f"FROM {view}").to_pylist()]


def test_what_a_person_put_right_is_done_though_its_status_is_done_again(
    warehouse: Warehouse, run: str
) -> None:
    rejected = frozenset({Status.REJECTED})
    assert sha("d") not in warehouse.done(RECIPE, rejected)
    decide(warehouse, run, "d", "/total")
    assert sha("d") in warehouse.done(RECIPE, rejected)
    assert sha("d") not in warehouse.done(RECIPE, set(Status))
    rerun(warehouse, "d", retry=rejected)
    assert rows(warehouse, "landings ORDER BY landed_at DESC LIMIT 1", "documents", "landed") == [(1, 0)]
    assert current(warehouse, "d") == run


def test_what_a_person_settled_counts_until_all_is_asked_for_again(warehouse: Warehouse, run: str) -> None:
    decide(warehouse, run, "b", "")
    decide(warehouse, run, "c", "/total", status="flagged", level="grounding", category="ungrounded")
    other = rerun(warehouse, "abc", "fedcba9876543210")
    assert [current(warehouse, name) for name in "abc"] == [other, run, other]
    again = rerun(warehouse, "b", "fedcba9876543210", frozenset(Status))
    assert current(warehouse, "b") == again
    warehouse.quarantine(again)
    assert current(warehouse, "b") == run


def test_an_answer_of_another_run_that_a_person_settles_counts_from_then_on(
    warehouse: Warehouse, run: str
) -> None:
    other = rerun(warehouse, "b", "fedcba9876543210")
    assert current(warehouse, "b") == other
    decide(warehouse, run, "b", "")
    assert current(warehouse, "b") == run


def test_failures_are_those_that_still_stand(warehouse: Warehouse, run: str) -> None:
    assert rows(warehouse, "failures", "category", "documents") == [("ungrounded", 2), ("unclosed", 1)]
    decide(warehouse, run, "b", "")
    decide(warehouse, run, "d", "/total", status="flagged", level="consistency", category="inconsistent")
    left = [("inconsistent", 1), ("ungrounded", 1)]
    assert rows(warehouse, "failures", "category", "documents") == left
    by_field = rows(warehouse, "failures_by_field", "category", "documents")
    assert by_field == [("ungrounded", 1)]
    decide(warehouse, run, "c", "/total", status="flagged", level="consistency", category="inconsistent")
    assert rows(warehouse, "failures_by_field", "category", "documents") == []
    assert rows(warehouse, "failures", "category", "documents") == [("inconsistent", 2)]


def test_nulls_are_those_of_the_answers_as_they_stand(warehouse: Warehouse, run: str) -> None:
    names = ("field", "answers", "nulls", "with_candidates")
    assert rows(warehouse, "nulls", *names) == [("/lines/*/amount", 4, 4, 4), ("/total", 4, 0, 0)]
    put = VALUE | {"total": None, "lines": [{"amount": "1.00"}]}
    decide(
        warehouse, run, "b", "/total", value=put, status="flagged", level="grounding", category="ungrounded"
    )
    assert rows(warehouse, "nulls", *names) == [("/lines/*/amount", 4, 3, 3), ("/total", 4, 1, 0)]
    decide(warehouse, run, "b", "/lines/0/amount", value=put | {"lines": []}, number=2)
    assert rows(warehouse, "nulls", *names) == [("/lines/*/amount", 3, 3, 3), ("/total", 4, 1, 0)]


def test_a_run_stays_as_it_ended(warehouse: Warehouse, run: str) -> None:
    views = ("run_summary", "failures_by_run", "symptoms")
    before = [warehouse.query(f"FROM {view}").to_pylist() for view in views]
    for name in "bcd":
        decide(warehouse, run, name, "/total")
    assert [warehouse.query(f"FROM {view}").to_pylist() for view in views] == before
    assert rows(warehouse, "failures", "category") == []
    assert {level for (level,) in rows(warehouse, "current", "level")} == {None}
    assert rows(warehouse, "failures_by_run", "level")[0] == (Level.GROUNDING,)


def test_a_documents_outcome_is_told_as_it_stands_beside_how_it_was_drawn(
    warehouse: Warehouse, run: str
) -> None:
    put = VALUE | {"total": "70.00"}
    decide(warehouse, run, "b", "/total", value=put)
    with warehouse.asking() as ask:
        (named,) = called(ask, "b")
        found = outcome(ask, named["document_id"])
        untouched = outcome(ask, sha("c"), run)
    assert found is not None
    assert untouched is not None
    assert (found["status"], json.loads(found["value"]), found["reviewed_by"]) == ("accepted", put, "ada")
    assert (found["drawn"]["status"], json.loads(found["drawn"]["value"])) == ("flagged", VALUE)
    assert [(one["pointer"], one["value"]) for one in found["decisions"]] == [("/total", '"70.00"')]
    assert (untouched["status"], untouched["drawn"], untouched["decisions"]) == ("flagged", None, [])

"""What waits at the review desk: every extraction that stands as flagged or rejected now, whoever said so."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.records import Category, Status
from tests.warehouse.samples import RECIPE, document, extraction, sha
from tests.warehouse.test_reviewed import decide, rerun, rows
from warehouse.reviews import extracted, original
from warehouse.store import Warehouse
from warehouse.waiting import Wanted, choices, following, queue

FLAGGED: dict[str, Any] = {"status": "flagged", "level": "consistency", "category": "inconsistent"}


@pytest.fixture
def run(warehouse: Warehouse) -> str:
    """One run: `a` accepted, `b` and `c` flagged, `d` rejected."""
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    found = [
        extraction("a", run_id),
        extraction("b", run_id, status=Status.FLAGGED, category=Category.UNGROUNDED),
        extraction("c", run_id, status=Status.FLAGGED, category=Category.UNGROUNDED),
        extraction("d", run_id, status=Status.REJECTED, category=Category.UNCLOSED, value=None),
    ]
    warehouse.stage(f"s-{run_id}", run_id, map(document, "abcd"), found)
    warehouse.land()
    return run_id


def waiting(warehouse: Warehouse, **wanted: Any) -> list[tuple[str, str, str, Any]]:
    """Name, status, category and errors of what waits, in its order."""
    names = {sha(name): name for name in "abcd"}
    with warehouse.asking() as ask:
        found = queue(ask, Wanted(**wanted))
    assert all(row["waiting"] == len(found) for row in found)
    return [(names[row["document_id"]], row["status"], row["category"], row["errors"]) for row in found]


def test_what_the_checks_did_not_accept_waits(warehouse: Warehouse, run: str) -> None:
    assert waiting(warehouse) == [
        ("b", "flagged", "ungrounded", 1),
        ("c", "flagged", "ungrounded", 1),
        ("d", "rejected", "unclosed", 1),
    ]
    assert waiting(warehouse, run=run, field="/total", category="unclosed") == [
        ("d", "rejected", "unclosed", 1)
    ]


def test_a_review_that_leaves_findings_does_not_vanish(warehouse: Warehouse, run: str) -> None:
    grounding = {"status": "flagged", "level": "grounding", "category": "ungrounded"}
    decide(warehouse, run, "b", "/total", **FLAGGED, wrong=("/total", "/date"))
    decide(warehouse, run, "c", "")
    decide(warehouse, run, "a", "/total", **FLAGGED, wrong=("/date",))  # it was accepted by the checks
    decide(warehouse, run, "d", "/total", **grounding, wrong=("/lines/*/amount", ""))
    expected = [
        ("a", "flagged", "inconsistent", 1),
        ("b", "flagged", "inconsistent", 2),
        ("d", "flagged", "ungrounded", 2),
    ]
    assert waiting(warehouse) == waiting(warehouse, run=run) == expected
    assert waiting(warehouse, category="inconsistent") == expected[:2]
    assert waiting(warehouse, category="unclosed") == []
    assert waiting(warehouse, schema="invoice@2") == []
    by_field = {name: waiting(warehouse, field=name) for name in ("/date", "/total", "/lines/*/amount")}
    assert list(by_field.values()) == [expected[:2], expected[1:2], expected[2:]]
    assert rows(warehouse, "failures", "category", "documents") == [("inconsistent", 2), ("ungrounded", 1)]
    with warehouse.asking() as ask:
        assert choices(ask)["categories"] == ["inconsistent", "unclosed", "ungrounded"]
        assert choices(ask)["fields"] == ["/date", "/lines/*/amount", "/total"]
    decide(warehouse, run, "a", "", number=2)
    assert waiting(warehouse) == expected[1:]
    assert rows(warehouse, "failures", "category", "documents") == [("inconsistent", 1), ("ungrounded", 1)]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_each_page_of_the_queue_goes_on_where_the_last_one_ended(
    warehouse: Warehouse,
    run: str,
    most: int,
) -> None:
    decide(warehouse, run, "a", "/total", **FLAGGED)
    with warehouse.asking() as ask:
        pages = [queue(ask, Wanted(), most, skip) for skip in range(0, 4, most)]
    told = [row["document_id"] for page in pages for row in page]
    assert told == [sha(name) for name in "abcd"]
    assert {row["waiting"] for page in pages for row in page} == {4}


def test_what_was_decided_before_errors_were_kept_is_found_as_it_was(warehouse: Warehouse, run: str) -> None:
    decide(warehouse, run, "b", "/date", **FLAGGED)
    warehouse.query("UPDATE reviews SET wrong = NULL", read_only=False)
    assert waiting(warehouse, field="/total")[0] == ("b", "flagged", "inconsistent", None)
    assert waiting(warehouse, field="/date") == []


def test_one_goes_on_from_where_one_is(warehouse: Warehouse, run: str) -> None:
    older, run = run, rerun(warehouse, "a", recipe="fedcba9876543210")
    decide(warehouse, run, "a", "/total", **FLAGGED)

    def after(run_id: str, name: str, **wanted: str) -> tuple[str, str] | None:
        with warehouse.asking() as ask:
            return following(ask, Wanted(**wanted), run_id, sha(name))

    assert [row[0] for row in waiting(warehouse)] == ["a", "b", "c", "d"]
    assert after("no run", "a") == (run, sha("a"))
    assert [after(run, "a"), after(older, "b"), after(older, "c"), after(older, "d")] == [
        *((older, sha(name)) for name in "bcd"),
        None,
    ]
    assert after(older, "b", category="unclosed") == (older, sha("d"))
    assert after(run, "a", run=run) is None
    decide(warehouse, older, "c", "")
    assert after(older, "c") == (older, sha("d"))  # decided on meanwhile, and still a place to go on from


def test_documents_are_linked_to_what_they_gave(warehouse: Warehouse, run: str) -> None:
    later = rerun(warehouse, "a", recipe="fedcba9876543210")
    decide(warehouse, run, "b", "")
    with warehouse.asking() as ask:
        found = extracted(ask, run, [sha("a"), sha("b"), sha("x")])
        newest = extracted(ask, "no run", [sha("a")])
        assert original(ask, run, sha("a"))["uri"] == document("a").uri
    assert {one["document_id"]: (one["run_id"], one["status"]) for one in found.values()} == {
        sha("a"): (run, "accepted"),
        sha("b"): (run, "accepted"),
    }
    assert newest[sha("a")]["run_id"] == later

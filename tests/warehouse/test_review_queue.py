"""What waits at the review desk: every extraction that stands as flagged or rejected now, whoever said so."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.records import Category, Status
from tests.warehouse.samples import RECIPE, document, extraction, sha
from tests.warehouse.test_reviewed import decide, rerun, rows
from warehouse.reviews import Wanted, choices, extracted, original, queue
from warehouse.store import Warehouse

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
    decide(warehouse, run, "b", "/total", **FLAGGED)
    decide(warehouse, run, "c", "")
    decide(warehouse, run, "a", "/total", **FLAGGED)  # it was accepted by the checks
    decide(warehouse, run, "d", "/total", status="flagged", level="grounding", category="ungrounded")
    expected = [
        ("a", "flagged", "inconsistent", None),
        ("b", "flagged", "inconsistent", None),
        ("d", "flagged", "ungrounded", None),
    ]
    assert waiting(warehouse) == waiting(warehouse, run=run) == expected
    assert waiting(warehouse, category="inconsistent") == expected[:2]
    assert waiting(warehouse, category="unclosed") == []
    assert waiting(warehouse, schema="invoice@2") == []
    assert rows(warehouse, "failures", "category", "documents") == [("inconsistent", 2), ("ungrounded", 1)]
    with warehouse.asking() as ask:
        assert choices(ask)["categories"] == ["inconsistent", "unclosed", "ungrounded"]
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
        pages = [queue(ask, Wanted(most=most, skip=skip)) for skip in range(0, 4, most)]
    told = [row["document_id"] for page in pages for row in page]
    assert told == [sha(name) for name in "abcd"]
    assert {row["waiting"] for page in pages for row in page} == {4}


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

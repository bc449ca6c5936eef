"""Which archived documents a selection means."""

from __future__ import annotations

from datetime import timedelta

import pytest

from schemas.errors import UsageError
from schemas.records import Category, Status
from tests.warehouse.samples import MOMENT, RECIPE, document, extraction, ok, sha
from warehouse.archived import Selection
from warehouse.reviews import Review
from warehouse.store import Warehouse


@pytest.fixture
def run(warehouse: Warehouse) -> str:
    """A run that accepted a and its attachment b, and flagged c under receipt@1."""
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    flagged = extraction("c", run_id, status=Status.FLAGGED, category=Category.UNGROUNDED)
    documents = [document("a"), document("b", parent=sha("a")), document("c", text="bye")]
    warehouse.stage("s1", run_id, documents, [*ok("ab", run_id), flagged])
    warehouse.land()
    return run_id


def names(warehouse: Warehouse, name: str = "receipt", **given: object) -> str:
    """The letters of what is selected, in order."""
    found = warehouse.archived(Selection(name, **given))  # type: ignore[arg-type]
    return "".join(one.uri[-1] for one in found)


def test_everything_parents_first(warehouse: Warehouse, run: str) -> None:
    assert names(warehouse) == names(warehouse, "invoice") == names(warehouse, run=run) == "abc"
    assert names(warehouse, run="another") == ""


def test_where_is_over_document_and_outcome(warehouse: Warehouse, run: str) -> None:
    assert names(warehouse, where="uri LIKE '%/c' -- the last") == "c"
    assert names(warehouse, where="parent_id IS NOT NULL AND status = 'accepted'") == "b"
    assert names(warehouse, where="category = 'ungrounded'") == "c"
    assert names(warehouse, "invoice", where="category IS NULL") == "abc"
    assert names(warehouse, where="document_id IN (SELECT document_id FROM fields WHERE is_null)") == "abc"


def test_an_answer_that_a_person_accepted_is_no_longer_flagged(warehouse: Warehouse, run: str) -> None:
    assert names(warehouse, statuses=frozenset({Status.FLAGGED})) == "c"
    about = ("receipt@1", "accepted", "", "accepted", None, None, "{}", "ada", MOMENT)
    warehouse.decide(Review("1", run, sha("c"), *about), [], "")
    assert names(warehouse, statuses=frozenset({Status.FLAGGED})) == ""
    assert names(warehouse, run=run, where="status = 'accepted' AND category IS NULL") == "abc"


def test_since_is_when_a_document_was_first_seen(warehouse: Warehouse, run: str) -> None:
    assert names(warehouse, since=MOMENT) == "abc"
    assert names(warehouse, since=MOMENT + timedelta(microseconds=1)) == ""


def test_status_is_that_of_the_run_or_else_of_the_newest_versions_current_answer(
    warehouse: Warehouse, run: str
) -> None:
    flagged = frozenset({Status.FLAGGED})
    assert names(warehouse, statuses=flagged) == names(warehouse, statuses=flagged, run=run) == "c"
    assert names(warehouse, "invoice", statuses=flagged) == ""
    newer = warehouse.start_run("extract", "receipt@10", "another", "in/")
    rows = [extraction("c", newer, schema="receipt@10", recipe_id="another")]
    warehouse.stage("s2", newer, [], rows)
    warehouse.land()
    assert names(warehouse, statuses=flagged) == ""
    assert names(warehouse, statuses=flagged, run=run) == "c"


@pytest.mark.parametrize(
    "condition",
    [
        "1 = 1; DROP TABLE runs",
        "true) UNION SELECT 'x', 'y', 1 WHERE (true",
        "text = (SELECT content FROM read_text('/etc/hostname'))",
        "uri = 'a' ORDER BY uri",
        "no_such_column = 1",
        "",
    ],
)
def test_a_condition_only_reads_tables(warehouse: Warehouse, run: str, condition: str) -> None:
    with pytest.raises(UsageError, match=r"--where.*; a condition is over document_id, parent_id, .*status"):
        names(warehouse, where=condition)
    assert warehouse.query("FROM runs").num_rows == 1


def test_attachments_at_any_depth(warehouse: Warehouse, run: str) -> None:
    warehouse.stage("s2", run, [document("d", parent=sha("b"))], [])
    warehouse.land()
    assert warehouse.attached(sha("a")) == {sha("b"), sha("d")}
    assert warehouse.attached(sha("d")) == frozenset()

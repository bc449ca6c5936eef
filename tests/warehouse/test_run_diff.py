"""Two runs compared, document by document and place by place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from schemas.records import Category, Extraction, FieldResult, Match, Span, Status
from tests.warehouse.samples import RECIPE, document, extraction, sha
from warehouse.store import Warehouse

REJECTED: dict[str, Any] = {"status": Status.REJECTED, "category": Category.SYNTAX_ERROR, "value": None}
FLAGGED: dict[str, Any] = {"status": Status.FLAGGED, "category": Category.UNGROUNDED}


def total(one: Extraction, value: str, start: int) -> Extraction:
    """The same outcome with another total, found elsewhere."""
    field = FieldResult("/total", value, Match.VERBATIM, 1.0, Span(start, start + 5))
    return replace(one, fields=(field, *one.fields[1:]))


def run(warehouse: Warehouse, *rows: Extraction) -> str:
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/", retry=set(Status))
    rows = tuple(replace(one, run_id=run_id) for one in rows)
    documents = [document(name) for name in "abcdefg"]
    warehouse.stage(run_id, run_id, documents, rows)
    warehouse.land()
    return run_id


@pytest.fixture
def runs(warehouse: Warehouse) -> tuple[str, str]:
    """a is fixed, b broken, c has another total, d another category, e is the same; f was, g is new."""
    unread = replace(extraction("a", "", **REJECTED), fields=())
    old = [unread, extraction("b", ""), extraction("c", ""), extraction("d", "", **FLAGGED)]
    new = [
        replace(extraction("a", ""), fields=extraction("a", "").fields[:1]),
        extraction("b", "", **FLAGGED),
        total(extraction("c", ""), '"12.50"', 40),
        extraction("d", "", status=Status.FLAGGED, category=Category.AMBIGUOUS),
    ]
    same = extraction("e", "")
    return run(warehouse, *old, same, extraction("f", "")), run(warehouse, *new, same, extraction("g", ""))


def diff(warehouse: Warehouse, a: str, b: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = warehouse.query("FROM run_diff($a, $b)", {"a": a, "b": b}).to_pylist()
    return rows


def test_each_change_has_its_word(warehouse: Warehouse, runs: tuple[str, str]) -> None:
    found = {row["uri"][-1]: row["change"] for row in diff(warehouse, *runs)}
    assert found == {
        "a": "fixed", "b": "broken", "c": "changed", "d": "changed", "f": "removed", "g": "added",
    }  # fmt: skip


def test_a_value_is_told_old_and_new_with_its_spans(warehouse: Warehouse, runs: tuple[str, str]) -> None:
    (row,) = (row for row in diff(warehouse, *runs) if row["document_id"] == sha("c"))
    assert (row["pointer"], row["old_value"], row["new_value"]) == ("/total", '"62.00"', '"12.50"')
    spans = (row["old_start"], row["old_end"], row["new_start"], row["new_end"])
    assert spans == (6, 11, 40, 45)


def test_a_change_of_status_or_category_alone_has_no_place(
    warehouse: Warehouse, runs: tuple[str, str]
) -> None:
    rows = {row["document_id"]: row for row in diff(warehouse, *runs)}
    assert (rows[sha("b")]["pointer"], rows[sha("d")]["pointer"]) == (None, None)
    assert (rows[sha("d")]["old_category"], rows[sha("d")]["new_category"]) == ("ungrounded", "ambiguous")


def test_a_value_that_was_not_there_is_null_before(warehouse: Warehouse, runs: tuple[str, str]) -> None:
    (row,) = (row for row in diff(warehouse, *runs) if row["document_id"] == sha("a"))
    assert (row["pointer"], row["old_value"], row["new_value"], row["old_start"]) == (
        "/total", None, '"62.00"', None,
    )  # fmt: skip


def test_the_summary_counts_documents_and_not_places(warehouse: Warehouse, runs: tuple[str, str]) -> None:
    summary = warehouse.query("FROM run_diff_summary($a, $b)", {"a": runs[0], "b": runs[1]}).to_pylist()
    assert [(row["change"], row["documents"]) for row in summary] == [
        ("fixed", 1), ("broken", 1), ("changed", 2), ("same", 1), ("added", 1), ("removed", 1),
    ]  # fmt: skip


def test_a_run_against_itself_is_the_same(warehouse: Warehouse, runs: tuple[str, str]) -> None:
    assert diff(warehouse, runs[0], runs[0]) == []

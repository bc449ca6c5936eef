"""The views over runs that ended in known ways."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from schemas.decoding import resolve
from schemas.recipe import Recipe
from schemas.records import Category, Extraction, Status
from tests.warehouse.samples import RECIPE, attempt, document, extraction
from warehouse.store import Warehouse

NAMES = "abcdefgh"


@pytest.fixture
def run_id(warehouse: Warehouse) -> str:
    """A run of eight documents: five accepted, two ungrounded, one that the engine did not answer."""
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    wrong = {
        "f": (Status.FLAGGED, Category.UNGROUNDED, 2),
        "g": (Status.FLAGGED, Category.UNGROUNDED, 1),
        "h": (Status.FAILED, Category.TIMEOUT, 3),
    }
    found = [_extraction(name, run_id, *wrong.get(name, (Status.ACCEPTED, None, 1))) for name in NAMES]
    warehouse.stage("s", run_id, [document(name) for name in NAMES], found)
    warehouse.land()
    warehouse.finish_run(run_id, "finished", {})
    return run_id


def _extraction(
    name: str, run_id: str, status: Status, category: Category | None, attempts: int
) -> Extraction:
    return extraction(name, run_id, status=status, category=category, attempts=attempts)


def rows(warehouse: Warehouse, view: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = warehouse.query(f"FROM {view}").to_pylist()
    return found


def test_failures(warehouse: Warehouse, run_id: str) -> None:
    # By the fraction of all documents, accepted ones included; the example is a document of that category.
    wanted = [("grounding", "ungrounded", 2, 0.25), ("decode", "timeout", 1, 0.125)]
    found = rows(warehouse, "failures")
    assert [
        tuple(row[name] for name in ("level", "category", "documents", "share")) for row in found
    ] == wanted
    assert found[0]["example"] in ("file:///in/f", "file:///in/g")
    assert found[1]["example"] == "file:///in/h"
    assert list(found[0]) == ["level", "category", "documents", "share", "example"]
    by_run = rows(warehouse, "failures_by_run")
    assert [{"run_id": run_id, "schema": "receipt@1"} | row for row in found] == by_run


def test_failures_by_field_count_a_document_once(warehouse: Warehouse, run_id: str) -> None:
    found = rows(warehouse, "failures_by_field")
    assert [(row["field"], row["category"], row["documents"]) for row in found] == [
        ("/total", "ungrounded", 2),
        ("/total", "timeout", 1),
    ]


def test_a_later_answer_leaves_the_failures(warehouse: Warehouse, run_id: str) -> None:
    later = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    warehouse.stage("s2", later, [document("h")], [extraction("h", later)])
    warehouse.land()
    assert [row["category"] for row in rows(warehouse, "failures")] == ["ungrounded"]
    assert [row["category"] for row in rows(warehouse, "failures_by_field")] == ["ungrounded"]
    assert {row["answers"] for row in rows(warehouse, "nulls")} == {8}
    assert len(rows(warehouse, "failures_by_run")) == 2


def test_cost_counts_what_was_not_used(warehouse: Warehouse, run_id: str) -> None:
    (row,) = rows(warehouse, "cost")
    # Eleven attempts of 12 tokens and 2 seconds: seven were chosen, one was resampled, three failed.
    assert (row["documents"], row["attempts"], row["output_tokens"], row["engine_s"]) == (8, 11, 132, 22.0)
    assert (row["unused_attempts"], row["unused_output_tokens"], row["unused_engine_s"]) == (4, 48, 8.0)
    assert row["engine_s_a_document"] == 2.75


def test_retries(warehouse: Warehouse) -> None:
    """Of ten documents six are accepted at once, one at the second attempt, one at the third; two never."""
    tries = {"abcdef": 1, "g": 2, "h": 3, "ij": 3}
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    found = [
        _extraction(name, run_id, Status.FLAGGED if name in "ij" else Status.ACCEPTED, None, count)
        for names, count in tries.items()
        for name in names
    ]
    silent = _extraction("k", run_id, Status.FAILED, Category.TIMEOUT, 1)
    warehouse.stage("s", run_id, [document(name) for name in "abcdefghijk"], [*found, silent])
    warehouse.land()
    told = rows(warehouse, "retries")
    assert [(row["attempts"], row["documents"], row["asked"]) for row in told] == [
        (1, 10, 10),
        (2, 10, 4),
        (3, 10, 3),
    ]
    assert [row["observed"] for row in told] == pytest.approx([0.6, 0.7, 0.8])
    assert [row["if_independent"] for row in told] == pytest.approx([0.6, 0.84, 0.936])


def test_the_samples_of_a_vote_are_one_attempt(warehouse: Warehouse) -> None:
    recipe = Recipe(
        schema_ref="receipt@1",
        schema_fingerprint="f",
        prompt_fingerprint="p",
        decoding=resolve("guided-vote"),
        model={},
        versions={},
    )
    warehouse.register_recipe(recipe)
    run_id = warehouse.start_run("extract", "receipt@1", recipe.recipe_id, "in/")
    one = dataclasses.replace(_extraction("a", run_id, Status.ACCEPTED, None, 5), recipe_id=recipe.recipe_id)
    warehouse.stage("s", run_id, [document("a")], [one])
    warehouse.land()
    (row,) = rows(warehouse, "retries")
    assert (row["recipe_id"], row["attempts"], row["observed"]) == (recipe.recipe_id, 1, 1.0)


def test_nulls(warehouse: Warehouse, run_id: str) -> None:
    found = {
        row["field"]: (row["answers"], row["nulls"], row["with_candidates"])
        for row in rows(warehouse, "nulls")
    }
    assert found == {"/lines/*/amount": (8, 8, 8), "/total": (8, 0, 0)}


def test_latency(warehouse: Warehouse) -> None:
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    base = attempt("a", run_id)
    tries = tuple(
        dataclasses.replace(base, attempt_id=str(number), number=number, total_s=float(number), queued_s=0.5)
        for number in range(1, 101)
    )
    warehouse.stage(
        "s", run_id, [document("a")], [dataclasses.replace(extraction("a", run_id), attempts=tries)]
    )
    warehouse.land()
    (row,) = rows(warehouse, "latency")
    assert row["total_p50"] == pytest.approx(50, abs=1)
    assert row["total_p95"] == pytest.approx(95, abs=1)
    assert (row["attempts"], row["queued_p50"], row["queued_p95"], row["total_max"]) == (100, 0.5, 0.5, 100.0)

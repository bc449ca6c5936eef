"""Typed tables that landing keeps: the same rows as the view over JSON gives, whatever happens to a run."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from schemas.records import Category, Status
from tests.warehouse.samples import RECIPE, document, extraction, sha
from tests.warehouse.test_typed import Bill, Bill2, Version, answer
from warehouse.materialised import table
from warehouse.reviews import Review
from warehouse.rows import now
from warehouse.store import Warehouse
from warehouse.typed import answers, shape_of

BILL = Version("bill", 1, Bill)
FLAGGED = {"status": Status.FLAGGED, "category": Category.UNGROUNDED}
REJECTED = {"status": Status.REJECTED, "category": Category.WRONG_TYPE}


@pytest.fixture
def kept(warehouse: Warehouse) -> Warehouse:
    """A warehouse with one bill from before its table was kept."""
    warehouse.register_schema(BILL)
    land(warehouse, a=answer(total="1.0000"))
    warehouse.materialise(BILL)
    return warehouse


def land(warehouse: Warehouse, kind: str = "rerun", **given: Any) -> str:
    run_id = warehouse.start_run(kind, "bill@1", RECIPE, "in/", retry=set(Status))
    found = [
        extraction(name, run_id, schema="bill@1", **(how if isinstance(how, dict) else {"value": how}))
        for name, how in given.items()
    ]
    warehouse.stage(f"s-{run_id}", run_id, [document(name) for name in given], found)
    warehouse.land()
    warehouse.finish_run(run_id, "finished", {})
    return run_id


def rows(warehouse: Warehouse, source: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = warehouse.query(f"FROM {source} ORDER BY run_id, document_id").to_pylist()
    return found


def check(warehouse: Warehouse, number: int) -> None:
    """The table holds `number` answers, just as the JSON has them."""
    from_json = rows(warehouse, f"({answers('bill@1', shape_of(BILL), 'extractions')})")
    assert rows(warehouse, table("bill@1")) == from_json == rows(warehouse, "bill_v1")
    assert len(from_json) == number


def test_landing_keeps_what_the_view_would_give(kept: Warehouse) -> None:
    check(kept, 1)
    land(kept, b=answer(total="-999999999999.9999"), c=FLAGGED | {"value": answer(day=None)}, d=REJECTED)
    check(kept, 3)
    assert kept.query("SELECT min(total) AS least FROM bill")["least"][0].as_py() == Decimal(
        "-999999999999.9999"
    )
    (kind,) = kept.query("SELECT typeof(lines) AS kind FROM bill LIMIT 1")["kind"].to_pylist()
    assert kind == 'STRUCT("name" VARCHAR, amount DECIMAL(18,4))[]'


def test_a_later_run_a_quarantine_and_a_release_change_what_is_current(kept: Warehouse) -> None:
    run_id = land(kept, a=answer(total="2"))
    check(kept, 2)
    assert [row["total"] for row in rows(kept, "bill")] == [Decimal(2)]
    kept.quarantine(run_id)
    check(kept, 2)
    assert [row["total"] for row in rows(kept, "bill")] == [Decimal(1)]
    kept.release(run_id)
    check(kept, 2)
    assert [row["total"] for row in rows(kept, "bill")] == [Decimal(2)]


def test_an_evaluation_is_not_current_there(kept: Warehouse) -> None:
    land(kept, kind="evaluate", a=answer(total="9"), e=answer(total="9"))
    check(kept, 3)
    assert [row["total"] for row in rows(kept, "bill")] == [Decimal(1)]


def test_landing_twice_adds_nothing(kept: Warehouse) -> None:
    run_id = kept.start_run("extract", "bill@1", RECIPE, "in/")
    for shard in ("one", "two"):
        found = extraction("b", run_id, schema="bill@1", value=answer())
        kept.stage(shard, run_id, [document("b")], [found])
        kept.land()
    check(kept, 2)


def test_a_changed_draft_is_made_anew(kept: Warehouse) -> None:
    kept.register_schema(replace(BILL, cls=Bill2, fingerprint="changed"))
    land(kept, b=answer(number="7"))
    assert [row["number"] for row in rows(kept, table("bill@1"))] == [None, "7"]


def test_a_table_can_be_given_up_and_made_again(kept: Warehouse) -> None:
    kept.materialise(BILL, keep=False)
    land(kept, b=answer())
    assert len(rows(kept, "bill_v1")) == 2
    assert kept.query("FROM duckdb_tables() WHERE schema_name = 'typed'").num_rows == 0
    kept.materialise(BILL)
    check(kept, 2)


def test_another_schema_does_not_enter(kept: Warehouse) -> None:
    other = Version("other", 1, Bill)
    kept.register_schema(other)
    run_id = kept.start_run("extract", "other@1", RECIPE, "in/")
    found = extraction("b", run_id, schema="other@1", recipe_id="other", value=answer())
    kept.stage("o", run_id, [document("b")], [found])
    kept.land()
    check(kept, 1)
    assert kept.query("FROM other_v1").num_rows == 1


def test_a_purged_document_leaves_the_table_too(kept: Warehouse) -> None:
    land(kept, b=answer(total="2"))
    kept.purge(kept.doomed([document("a").document_id]), "asked for", "someone")
    check(kept, 1)
    assert [row["total"] for row in rows(kept, "bill")] == [Decimal(2)]
    land(kept, c=answer(total="3"))
    check(kept, 2)


@pytest.mark.parametrize("keep", [True, False])
def test_a_review_shows_in_the_typed_views_as_in_current(kept: Warehouse, keep: bool) -> None:
    run_id = land(kept, b=FLAGGED | {"value": answer(total="5.0000")}, c=REJECTED)
    kept.materialise(BILL, keep=keep)
    for number, name in enumerate("bc"):
        said = answer(total=f"{number + 7}.0000")
        about = ("bill@1", "corrected", "/total", "accepted", None, None, said, "ada", now())
        kept.decide(Review(str(number), run_id, sha(name), *about), [], "")
    kept.purge(kept.doomed([sha("a")]), "", "tester")
    found = sorted((row["status"], row["total"]) for row in rows(kept, "bill"))
    assert found == [("accepted", Decimal(7)), ("accepted", Decimal(8))]
    assert rows(kept, "bill_v1") == rows(kept, f"({answers('bill@1', shape_of(BILL), 'outcomes')})")
    kept.materialise(BILL)
    assert sorted(row["total"] for row in rows(kept, table("bill@1"))) == [Decimal(7), Decimal(8)]

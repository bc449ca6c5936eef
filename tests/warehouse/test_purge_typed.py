"""A purge where typed tables are kept: they go along, and their views stand in the new database."""

from __future__ import annotations

import json
from datetime import timedelta

from schemas.registry import load
from tests.warehouse.samples import MOMENT, RECIPE, document, extraction, sha
from warehouse.store import Warehouse


def answer(company: str) -> str:
    values = {"reasoning": "r", "company": company, "date": None, "address": None, "total": "1.00"}
    return json.dumps(values)


def test_typed_tables_and_views_are_written_anew(warehouse: Warehouse) -> None:
    version = load(None).resolve("receipt@1")
    warehouse.register_schema(version)
    warehouse.materialise(version)
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    rows = [extraction(name, run_id, value=answer(f"Company {name}")) for name in "ab"]
    warehouse.stage("s1", run_id, [document(name) for name in "ab"], rows)
    warehouse.land()
    assert warehouse.query("FROM typed.receipt_v1").num_rows == 2
    views = warehouse.query("SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1").to_pylist()
    warehouse.purge(warehouse.doomed([sha("a")]), "", "tester")
    for place in ("typed.receipt_v1", "receipt_v1", "receipt", "current"):
        assert warehouse.query(f"SELECT document_id FROM {place}").to_pylist() == [{"document_id": sha("b")}]
    after = warehouse.query("SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1").to_pylist()
    assert after == views
    assert warehouse.query("FROM run_diff($a, $a)", {"a": run_id}).num_rows == 0
    later = warehouse.start_run("extract", "receipt@1", "later", "in/")
    row = extraction(
        "b", later, recipe_id="later", value=answer("New"), finished_at=MOMENT + timedelta(days=1)
    )
    warehouse.stage("s2", later, [], [row])
    warehouse.land()
    assert warehouse.query("SELECT company FROM receipt").to_pylist() == [{"company": "New"}]

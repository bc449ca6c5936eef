"""A run against those before it, and that an evaluation changes nothing that counts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from schemas.records import Category, Extraction, Status
from tests.warehouse.samples import RECIPE, document, extraction, ok
from warehouse.store import Warehouse


def land(warehouse: Warehouse, kind: str, found: Sequence[tuple[str, Extraction]], run_id: str) -> None:
    warehouse.stage(f"s-{run_id}", run_id, [document(name) for name, _ in found], [one for _, one in found])
    warehouse.land()
    warehouse.finish_run(run_id, "finished", {})


def begin(warehouse: Warehouse, kind: str = "extract", retry: Sequence[Status] = ()) -> str:
    return warehouse.start_run(kind, "receipt@1", RECIPE, "in/", retry=retry)


def night(warehouse: Warehouse, number: int, rejected: int, kind: str = "extract") -> str:
    """A run over ten documents of its own, of which so many were rejected."""
    run_id = begin(warehouse, kind)
    names = [f"{number}-{place}" for place in range(10)]
    bad = [
        extraction(name, run_id, status=Status.REJECTED, category=Category.TRUNCATED, value=None)
        for name in names[:rejected]
    ]
    land(warehouse, kind, list(zip(names, [*bad, *ok(names[rejected:], run_id)], strict=True)), run_id)
    return run_id


def drift(warehouse: Warehouse, run_id: str, measure: str, item: str = "") -> dict[str, Any]:
    sql = "SELECT * FROM drift WHERE run_id = $run AND measure = $measure AND item = $item"
    rows = warehouse.query(sql, {"run": run_id, "measure": measure, "item": item}).to_pylist()
    assert len(rows) == 1
    found: dict[str, Any] = rows[0]
    return found


def test_a_night_is_compared_with_the_nights_before(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    runs = [night(warehouse, number, rejected=1) for number in range(8)]
    night(warehouse, 8, rejected=9, kind="evaluate")
    last = night(warehouse, 9, rejected=6)
    first = drift(warehouse, runs[0], "validity")
    assert (first["value"], first["earlier"], first["earlier_runs"]) == (0.9, None, 0)
    validity = drift(warehouse, last, "validity")
    assert (validity["value"], validity["earlier"], validity["earlier_runs"]) == (0.4, 0.9, 7)
    assert validity["change"] == pytest.approx(-0.5)
    # Pooled share (4 + 63) / 80 over 10 and 70 documents.
    pooled = 67 / 80
    assert validity["z"] == pytest.approx(-0.5 / (pooled * (1 - pooled) * (1 / 10 + 1 / 70)) ** 0.5)
    cut = drift(warehouse, last, "category", "truncated")
    assert (cut["value"], cut["earlier"]) == (0.6, pytest.approx(0.1))
    assert drift(warehouse, last, "null", "/lines/*/amount")["value"] == 1.0
    assert drift(warehouse, last, "null", "/total")["change"] == 0.0
    assert drift(warehouse, last, "latency_p95")["earlier"] == 2.5


def test_a_night_in_quarantine_is_shown_and_is_not_what_is_usual(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    night(warehouse, 0, rejected=1)
    bad = night(warehouse, 1, rejected=8)
    warehouse.quarantine(bad)
    validity = drift(warehouse, bad, "validity")
    assert (validity["value"], validity["earlier"], validity["earlier_runs"]) == (0.2, 0.9, 1)
    after = drift(warehouse, night(warehouse, 2, rejected=1), "validity")
    assert (after["value"], after["earlier"], after["earlier_runs"]) == (0.9, 0.9, 1)
    assert drift(warehouse, bad, "latency_p95")["earlier_runs"] == 1


def test_a_category_that_went_away_has_a_row_with_zero(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    night(warehouse, 0, rejected=5)
    gone = drift(warehouse, night(warehouse, 1, rejected=0), "category", "truncated")
    assert (gone["value"], gone["earlier"]) == (0.0, 0.5)


def test_an_evaluation_is_neither_current_nor_done(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    measured = begin(warehouse, "evaluate", list(Status))
    land(warehouse, "evaluate", [("a", extraction("a", measured))], measured)
    assert warehouse.query("FROM current").num_rows == 0
    assert warehouse.done(RECIPE) == set()
    run_id = begin(warehouse)
    land(warehouse, "extract", [("a", extraction("a", run_id, value='{"total":"1.00"}'))], run_id)
    again = begin(warehouse, "evaluate", list(Status))
    land(warehouse, "evaluate", [("a", extraction("a", again))], again)
    assert warehouse.query("SELECT run_id FROM current").to_pylist() == [{"run_id": run_id}]
    assert warehouse.query("FROM extractions").num_rows == 3
    assert warehouse.done(RECIPE) == {document("a").document_id}

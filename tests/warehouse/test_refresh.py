"""A home in which an older version made the typed views and kept the typed tables."""

from __future__ import annotations

from decimal import Decimal

import duckdb
import pytest

from schemas.registry import SchemaVersion, load
from tests.warehouse.samples import RECIPE, document, extraction, sha
from warehouse.migrate import shipped
from warehouse.store import Warehouse
from warehouse.typed import answers, shape_of

REVIEWED = '{"reasoning":"r","total":"70.00"}'


@pytest.fixture
def receipt() -> SchemaVersion:
    return load(None).resolve("receipt@1")


@pytest.fixture(params=["view", "table"])
def older(warehouse: Warehouse, receipt: SchemaVersion, request: pytest.FixtureRequest) -> Warehouse:
    """What an older version left: no shapes, views without reviews, a later run that displaced a review."""
    warehouse.register_schema(receipt)
    warehouse.materialise(receipt, keep=request.param == "table")
    for recipe in (RECIPE, "fedcba9876543210"):
        run_id = warehouse.start_run("extract", "receipt@1", recipe, "in/")
        names = "ab" if recipe == RECIPE else "a"
        found = [extraction(name, run_id, recipe_id=recipe) for name in names]
        warehouse.stage(f"s-{run_id}", run_id, map(document, names), found)
        warehouse.land()
    old_view = answers("receipt@1", shape_of(receipt), "extractions")
    with duckdb.connect(str(warehouse.database)) as connection:
        connection.execute("ALTER TABLE schema_versions DROP COLUMN shape")
        connection.execute("ALTER TABLE reviews DROP COLUMN wrong")
        connection.execute("DELETE FROM migrations WHERE number >= 7")
        connection.execute("UPDATE view_texts SET sha256 = 'of an older version'")
        if request.param == "view":
            connection.execute(f"CREATE OR REPLACE VIEW receipt_v1 AS {old_view}")
        review = (
            "INSERT INTO reviews SELECT '1', min(run_id), ?, 'receipt@1', 'corrected', '/total', 'accepted',"
        )
        review += " NULL, NULL, ?, 'ada', now()::TIMESTAMP FROM runs"
        for name in "ab":
            connection.execute(review.replace("'1'", f"'{name}'"), [sha(name), REVIEWED])
    return warehouse


def test_it_shows_reviews_once_it_is_upgraded(older: Warehouse) -> None:
    for view in ("receipt", "receipt_v1 WHERE is_current"):
        found = older.query(f"SELECT document_id, total FROM {view} ORDER BY document_id").to_pylist()
        assert [row["total"] for row in found] == [Decimal("70.0000")] * 2
    assert [one.name for one in older.home.glob("*.before-*")] == [
        f"warehouse.duckdb.before-{shipped()[6].name}"
    ]


def test_its_views_can_be_written_anew_again_and_registered(older: Warehouse, receipt: SchemaVersion) -> None:
    older.query("SELECT 1")
    older.query("UPDATE view_texts SET sha256 = ''", read_only=False)
    assert older.query("SELECT sum(total) AS total FROM receipt").to_pylist() == [{"total": Decimal(140)}]
    older.register_schema(receipt)
    older.materialise(receipt)
    assert older.query("SELECT sum(total) AS total FROM receipt").to_pylist() == [{"total": Decimal(140)}]

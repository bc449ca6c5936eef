"""Current answers as Parquet and CSV, exact, whole, and harmless."""

from __future__ import annotations

import csv
import json
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from schemas.errors import UsageError, WarehouseError
from schemas.records import Category, Status
from schemas.registry import load
from tests.warehouse.samples import MOMENT, RECIPE, document, extraction, sha
from warehouse.export import Exported, refuse_existing
from warehouse.store import Warehouse

BOTH = (Status.ACCEPTED, Status.FLAGGED)
FORMULA = '=HYPERLINK("http://evil","x")'


def receipt(company: str, total: str) -> str:
    return json.dumps(
        {"reasoning": "r", "company": company, "date": "2026-01-31", "address": "a\nb", "total": total}
    )


@pytest.fixture
def home(warehouse: Warehouse) -> Warehouse:
    """Two receipts on two days, a rejected one, an invoice, and an older answer that no longer counts."""
    registry = load(None)
    for ref in ("receipt@1", "invoice@2", "review@1"):
        warehouse.register_schema(registry.resolve(ref))
    older = warehouse.start_run("extract", "receipt@1", "old", "in/")
    warehouse.stage(
        "s0", older, [document("a")], [extraction("a", older, value=receipt("Old", "9.99"), recipe_id="old")]
    )
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    later = MOMENT + timedelta(days=1)
    rows = [
        extraction("a", run_id, value=receipt('Müller, "&" Co', "62.00")),
        extraction("b", run_id, value=receipt(FORMULA, "-1.50"), finished_at=later, status=Status.FLAGGED),
        extraction("c", run_id, status=Status.REJECTED, category=Category.SYNTAX_ERROR, value=None),
    ]
    warehouse.stage("s1", run_id, [document(name) for name in "abc"], rows)
    invoice = warehouse.start_run("extract", "invoice@2", "inv", "in/")
    answer = {"reasoning": "r", "invoice_number": "X1", "lines": [{"name": "Tea", "line_total": "1.10"}]}
    row = extraction("a", invoice, schema="invoice@2", recipe_id="inv", value=json.dumps(answer))
    warehouse.stage("s2", invoice, [], [row])
    warehouse.land()
    return warehouse


def test_parquet_is_partitioned_typed_and_only_what_counts(home: Warehouse, tmp_path: Path) -> None:
    folder = tmp_path / "it's out"
    done = home.export_parquet(folder, [], BOTH)
    assert done == Exported(answers=3, without=1)
    parts = {str(path.parent.relative_to(folder)) for path in folder.rglob("*.parquet")}
    assert parts == {
        "schema=invoice%402/day=2026-03-09", "schema=receipt%401/day=2026-03-09",
        "schema=receipt%401/day=2026-03-10",
    }  # fmt: skip
    relation = duckdb.read_parquet(f"{folder}/schema=receipt*/*/*.parquet", hive_partitioning=True)
    found = relation.order("document_id").fetchall()
    rows = [dict(zip(relation.columns, row, strict=True)) for row in found]
    (a,) = (row for row in rows if row["document_id"] == sha("a"))
    assert (a["total"], a["date"], a["schema"]) == (Decimal("62.0000"), date(2026, 1, 31), "receipt@1")
    assert a["company"] == 'Müller, "&" Co'
    assert a["uri"] == "file:///in/a"
    assert len(rows) == 2


def test_parquet_of_some_versions_and_statuses(home: Warehouse, tmp_path: Path) -> None:
    done = home.export_parquet(tmp_path / "out", ["receipt@1"], [Status.ACCEPTED])
    assert done == Exported(answers=1, without=2)
    with pytest.raises(UsageError, match=r"receipt@9.*invoice@2, receipt@1"):
        home.export_parquet(tmp_path / "other", ["receipt@9"], BOTH)
    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == ["out"]


def test_csv_is_exact_but_for_formulas(home: Warehouse, tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    assert home.export_csv(file, "receipt@1", BOTH, exact=False) == Exported(2, 1)
    with file.open(newline="", encoding="utf-8") as lines:
        a, b = csv.DictReader(lines)
    assert (a["company"], a["address"], a["total"]) == ('Müller, "&" Co', "a\nb", "62.0000")
    assert (b["company"], b["total"]) == (f"'{FORMULA}", "-1.5000")
    home.export_csv(file, "receipt@1", BOTH, exact=True)
    with file.open(newline="", encoding="utf-8") as lines:
        assert [row["company"] for row in csv.DictReader(lines)] == ['Müller, "&" Co', FORMULA]


@pytest.mark.parametrize(
    ("company", "written"),
    [
        ("\uff1d1+1", "'\uff1d1+1"),
        ("\uff20SUM(A1)", "'\uff20SUM(A1)"),
        ("  =1+1", "'  =1+1"),
        ("\t7", "'\t7"),
        ("A=B", "A=B"),
        ("Tea - Shop", "Tea - Shop"),
    ],
)
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(
    warehouse: Warehouse, tmp_path: Path, company: str, written: str
) -> None:
    warehouse.register_schema(load(None).resolve("receipt@1"))
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    warehouse.stage("s", run_id, [document("a")], [extraction("a", run_id, value=receipt(company, "1.00"))])
    warehouse.land()
    warehouse.export_csv(tmp_path / "out.csv", "receipt@1", BOTH, exact=False)
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as lines:
        assert next(iter(csv.DictReader(lines)))["company"] == written


def test_lists_and_objects_stand_in_csv_as_json(home: Warehouse, tmp_path: Path) -> None:
    home.export_csv(tmp_path / "out.csv", "invoice@2", BOTH, exact=False)
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as lines:
        (row,) = csv.DictReader(lines)
    assert json.loads(row["lines"])[0]["name"] == "Tea"


def test_where_there_is_nothing_to_write_nothing_is_written(home: Warehouse, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no current answer under review@1 is accepted or flagged$"):
        home.export_parquet(tmp_path / "out", ["review@1"], BOTH)
    home.export_csv(tmp_path / "out.csv", "receipt@1", BOTH, exact=True)
    old = (tmp_path / "out.csv").read_bytes()
    with pytest.raises(UsageError, match="under receipt@1 is failed; documents that ended otherwise: 3"):
        home.export_csv(tmp_path / "out.csv", "receipt@1", [Status.FAILED], exact=True)
    assert [path.name for path in tmp_path.iterdir() if "out" in path.name] == ["out.csv"]
    assert (tmp_path / "out.csv").read_bytes() == old


def test_an_export_replaces_the_last_one_whole(home: Warehouse, tmp_path: Path) -> None:
    home.export_parquet(tmp_path / "out", [], BOTH)
    home.export_parquet(tmp_path / "out", ["invoice@2"], BOTH)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["schema=invoice%402"]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_force_replaces_exports_and_nothing_else(home: Warehouse, tmp_path: Path) -> None:
    home.export_parquet(tmp_path / "out", [], BOTH)
    (tmp_path / "old.csv").write_text("a")
    for name in ("out", "old.csv", "new"):
        refuse_existing(tmp_path / name, home.home, replace=True)
    with pytest.raises(UsageError, match="--force"):
        refuse_existing(tmp_path / "out", home.home, replace=False)
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    for target in (tmp_path / "out", tmp_path, home.home, home.database, tmp_path / "out/../home"):
        with pytest.raises(UsageError, match=r"no export|Assay's own"):
            refuse_existing(target, home.home, replace=True)


def test_where_it_cannot_be_written_nothing_is_left(home: Warehouse, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(WarehouseError):
        home.export_csv(tmp_path / "file" / "out.csv", "receipt@1", BOTH, exact=False)
    assert (tmp_path / "file").read_text() == "mine"


def test_fields_that_are_called_as_our_columns_are_kept(home: Warehouse, tmp_path: Path) -> None:
    sql = """CREATE OR REPLACE VIEW receipt_v1 AS
        SELECT * EXCLUDE (value), 5 AS day, 'x' AS uri FROM extractions WHERE schema = 'receipt@1'"""
    home.query(sql, read_only=False)
    home.export_csv(tmp_path / "out.csv", "receipt@1", BOTH, exact=False)
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as lines:
        row = next(iter(csv.DictReader(lines)))
    assert (row["day"], row["day_"], row["uri"], row["uri_"]) == ("5", "2026-03-09", "x", "file:///in/a")

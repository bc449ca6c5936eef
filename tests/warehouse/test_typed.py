"""Typed views: exact, one a version and one for the current answers, with names that cannot do harm."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from schemas.contract import ExtractionSchema, Money, Reasoning, Row, Text, field
from schemas.errors import SchemaError
from schemas.records import Category, Extraction, Status
from tests.warehouse.samples import MOMENT, RECIPE, document, extraction
from warehouse.sqltypes import columns, decimal_type
from warehouse.store import Warehouse
from warehouse.typed import SchemaVersion, versioned_view


class Line(Row):
    name: Text | None = field("What.")
    amount: Money | None = field("How much.")


class Bill(ExtractionSchema):
    """A bill."""

    reasoning: Reasoning
    status: Text | None = field("A name that the view has already.")
    day: date | None = field("When.")
    currency: Literal["EUR", "USD"] | None = field("Which.")
    lines: Annotated[list[Line], Field(max_length=5)] = field("Each line.")
    total: Money | None = field("How much in all.")


class Bill2(Bill):
    """A bill with its number."""

    number: Text | None = field("Its number.")


@dataclass(frozen=True)
class Version:
    name: str
    version: int
    cls: type[Any]
    fingerprint: str = "f"

    @property
    def ref(self) -> str:
        return f"{self.name}@{self.version}"


def answer(**values: object) -> str:
    base = {"reasoning": "r", "status": "paid", "day": "2024-03-09", "currency": "EUR", "total": "62.0000"}
    return json.dumps(
        base | {"lines": [{"name": "a", "amount": "0.1000"}, {"name": None, "amount": None}]} | values
    )


def land(warehouse: Warehouse, version: SchemaVersion, *extractions: Extraction) -> None:
    warehouse.register_schema(version)
    names = {one.document_id: one for one in extractions}
    documents = [document(name) for name in "abcdef" if document(name).document_id in names]
    warehouse.stage(
        f"s-{version.version}-{extractions[0].run_id}", extractions[0].run_id, documents, extractions
    )
    warehouse.land()


def bill(warehouse: Warehouse, name: str, value: str | None, ref: str = "bill@1", **more: Any) -> Extraction:
    run_id = warehouse.start_run("extract", ref, RECIPE + ref, "in/")
    return extraction(name, run_id, schema=ref, recipe_id=RECIPE + ref, value=value, **more)


def test_values_are_exact(warehouse: Warehouse) -> None:
    land(warehouse, Version("bill", 1, Bill), bill(warehouse, "a", answer(total="-999999999999.9999")))
    (row,) = warehouse.query("FROM bill_v1").to_pylist()
    assert row["total"] == Decimal("-999999999999.9999")
    assert row["day"] == date(2024, 3, 9)
    assert row["lines"] == [{"name": "a", "amount": Decimal("0.1000")}, {"name": None, "amount": None}]
    assert (row["status"], row["status_"], row["currency"]) == ("accepted", "paid", "EUR")
    kinds = {
        name: kind for name, kind, *_ in warehouse.query("DESCRIBE bill_v1").to_pandas().to_numpy().tolist()
    }
    assert kinds["total"] == "DECIMAL(18,4)"
    assert kinds["lines"] == 'STRUCT("name" VARCHAR, amount DECIMAL(18,4))[]'


def test_a_number_in_json_is_as_exact_as_one_in_text(warehouse: Warehouse) -> None:
    value = answer().replace('"62.0000"', "123456789012.3456")
    land(warehouse, Version("bill", 1, Bill), bill(warehouse, "a", value))
    assert warehouse.query("SELECT total FROM bill")["total"][0].as_py() == Decimal("123456789012.3456")


def test_only_valid_answers_stand_in_the_views(warehouse: Warehouse) -> None:
    rejected = bill(warehouse, "a", '{"total":"junk"}', status=Status.REJECTED, category=Category.WRONG_TYPE)
    land(warehouse, Version("bill", 1, Bill), rejected)
    flagged = bill(warehouse, "b", answer(), status=Status.FLAGGED, category=Category.UNGROUNDED)
    land(warehouse, Version("bill", 1, Bill), flagged)
    assert warehouse.query("SELECT document_id FROM bill_v1")["document_id"].to_pylist() == [
        flagged.document_id
    ]


def test_the_current_view_has_the_newest_version_once_a_document(warehouse: Warehouse) -> None:
    land(warehouse, Version("bill", 1, Bill), bill(warehouse, "a", answer()))
    old = bill(warehouse, "a", answer(number="1", total="1"), "bill@2")
    later = MOMENT + timedelta(hours=1)
    new = bill(warehouse, "a", answer(number="2", total="2"), "bill@2", finished_at=later)
    land(warehouse, Version("bill", 2, Bill2), old)
    warehouse.query("UPDATE runs SET retry = ['accepted']", read_only=False)
    land(warehouse, Version("bill", 2, Bill2), new)
    assert warehouse.query("SELECT number, total FROM bill").to_pylist() == [
        {"number": "2", "total": Decimal(2)}
    ]
    assert warehouse.query("FROM bill_v2").num_rows == 2
    assert warehouse.query("FROM bill_v1").num_rows == 1


def test_a_changed_draft_gets_a_new_view(warehouse: Warehouse) -> None:
    warehouse.register_schema(Version("bill", 1, Bill, "f1"))
    warehouse.register_schema(Version("bill", 1, Bill2, "f2"))
    assert "number" in warehouse.query("FROM bill").column_names
    stored = warehouse.query("SELECT json_schema FROM schema_versions WHERE fingerprint = 'f2'")
    assert "number" in json.loads(stored["json_schema"][0].as_py())["properties"]


@pytest.mark.parametrize(
    "name",
    ["runs", "documents", "failures", "current", "bill_v1", "Bill", "", 'x"; DROP TABLE runs; --', "a.b"],
)
def test_names_that_cannot_be_views_are_refused(warehouse: Warehouse, name: str) -> None:
    with pytest.raises(SchemaError, match="schema name"):
        warehouse.register_schema(Version(name, 1, Bill))
    assert warehouse.query("FROM runs").num_rows == 0


def test_fields_that_sql_cannot_tell_apart_are_refused() -> None:
    twins = create_model("Twins", total=(int, ...), Total=(int, ...))
    with pytest.raises(SchemaError, match="'total' and 'Total'"):
        columns(twins)


_OUTCOMES = """document_id INT, run_id INT, recipe_id INT, schema TEXT, status TEXT, category TEXT,
    attempt_id INT, finished_at INT, is_current BOOLEAN, value JSON"""


@given(name=st.text(min_size=1, max_size=20).filter(lambda text: "\0" not in text and text.isprintable()))
@settings(max_examples=25)
def test_any_field_name_is_only_a_name(name: str) -> None:
    model = create_model("Hostile", x=(str | None, Field(alias=name)))
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE outcomes ({_OUTCOMES})")
        connection.execute(versioned_view(Version("hostile", 1, model)))
        row = ["hostile@1", "accepted", json.dumps({name: "found"})]
        connection.execute("INSERT INTO outcomes (schema, status, value) VALUES (?, ?, ?)", row)
        assert connection.execute("FROM hostile_v1").fetchall()[0][-1] == "found"


def test_a_field_called_as_a_column_of_ours_gets_a_free_name() -> None:
    model = create_model("Clash", status=(str, ...), status_=(str, ...), Run_ID=(str, ...))
    sql = versioned_view(Version("clash", 1, model))
    assert 'typed."status" AS "status__"' in sql
    assert 'typed."status_" AS "status_"' in sql
    assert 'typed."Run_ID" AS "Run_ID_"' in sql


class Odd(BaseModel):
    either: int | str
    free: dict[str, int]
    rows: list[list[bool]]
    rate: Annotated[Decimal, Field(max_digits=12, decimal_places=10)] | None
    plain: Decimal


def test_what_has_no_one_type_stays_json() -> None:
    assert columns(Odd) == {
        "either": "JSON",
        "free": "JSON",
        "rows": [["BOOLEAN"]],
        "rate": "DECIMAL(18,10)",
        "plain": "DECIMAL(38,10)",
    }


def test_a_decimal_type_holds_its_bounds() -> None:
    assert decimal_type([Field(max_digits=18, decimal_places=4)]) == "DECIMAL(18,4)"
    assert decimal_type([Field(gt=-(10**20), lt=10**20, decimal_places=2)]) == "DECIMAL(25,4)"

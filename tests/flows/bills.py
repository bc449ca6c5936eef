"""A small warehouse for the desk: an invoice with a row too many, an agreement without parties."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from flows.review.fitted import fitted
from schemas.records import Category, Status
from schemas.registry import load
from tests.warehouse.samples import RECIPE, document, extraction
from warehouse.store import Warehouse

SCHEMA = load(None).resolve("invoice@2")
TEXT = "Mill Ltd, Ulm\nFlour 4.00\nSalt 2.00\nYeast 1.00\nTotal 7.00\n"


def line(name: str | None, total: str | None) -> dict[str, Any]:
    return {"name": name, "quantity": None, "unit_price": None, "line_total": total}


LINES = [line("Flour", "4.00"), line("Pepper", "9.00"), line("Salt", "2.00")]
ANSWER = fitted(SCHEMA.cls, {"reasoning": "As printed.", "lines": LINES, "grand_total": "7.00"})


def build(home: Path) -> Warehouse:
    """The invoice is document `a`, the agreement `b`; both are flagged."""
    found = Warehouse(home)
    for ref, name, answer in (("invoice@2", "a", ANSWER), ("nda@1", "b", {"parties": []})):
        schema = load(None).resolve(ref)
        found.register_schema(schema)
        run_id = found.start_run("extract", ref, RECIPE, "in/")
        value = json.dumps(fitted(schema.cls, answer))
        given: dict[str, Any] = {
            "status": Status.FLAGGED,
            "category": Category.UNGROUNDED,
            "value": value,
            "schema": ref,
        }
        found.stage(f"shard-{name}", run_id, [document(name, text=TEXT)], [extraction(name, run_id, **given)])
        found.land()
    return found

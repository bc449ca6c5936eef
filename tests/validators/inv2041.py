"""A small invoice schema and its document, for the tests of the ladder."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any, Literal

from schemas.contract import (
    ExtractionSchema,
    Identifier,
    Money,
    Quantity,
    Reasoning,
    Row,
    Text,
    consistency,
    field,
    inconsistent,
)
from schemas.records import Finding

SOURCE = """Invoice INV-2041, issued 2024-03-09 to Northwind Traders.
Widget x4 @ 12.50 = 50.00
Gasket x10 @ 1.20 = 12.00
Total due: 62.00 EUR"""


class Line(Row):
    item: Text | None = field("As printed.")
    quantity: Quantity | None
    unit_price: Money | None
    amount: Money | None


class Bill(ExtractionSchema):
    reasoning: Reasoning
    invoice_number: Identifier | None
    issue_date: date | None
    customer: Text | None
    currency: Literal["EUR", "USD"] | None = field("ISO code.", synonyms={"EUR": ["euro", "€"]})
    lines: list[Line]
    total: Money | None

    @consistency
    def lines_sum_to_total(self) -> Iterator[Finding]:
        expected = sum((row.amount or Decimal(0) for row in self.lines), Decimal(0))
        if self.total is not None and self.total != expected:
            yield inconsistent("lines do not sum to the total", expected=expected, found=self.total)


def answer() -> dict[str, Any]:
    """The right answer; tests change one value of it."""
    return {
        "reasoning": "all stands there",
        "invoice_number": "INV-2041",
        "issue_date": "2024-03-09",
        "customer": "Northwind Traders",
        "currency": "EUR",
        "lines": [
            {"item": "Widget", "quantity": 4, "unit_price": 12.5, "amount": 50.0},
            {"item": "Gasket", "quantity": 10, "unit_price": 1.2, "amount": 12.0},
        ],
        "total": 62.0,
    }

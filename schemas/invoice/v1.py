"""Invoices, first version: the few values that nearly every invoice has, for short ones of up to 12 lines."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Annotated

from pydantic import StringConstraints

from schemas import arithmetic
from schemas.contract import (
    ExtractionSchema,
    Identifier,
    Money,
    Quantity,
    Reasoning,
    Row,
    consistency,
    field,
    inconsistent,
)
from schemas.invoice.currencies import SYNONYMS, Currency
from schemas.records import Finding

Name = Annotated[str, StringConstraints(min_length=1, max_length=80)]
EXAMPLE = """\
Harrow & Finch Ltd
INVOICE HF-7730
Date: 14 February 2021
Bill to: Ostrava Ceramics
3 x Kiln shelf @ 18.25 = 54.75
1 x Delivery @ 6.00 = 6.00
VAT 12.15
Total GBP 72.90
"""


class Line(Row):
    """One line: what was supplied, how many, at what price."""

    description: Name | None = field("The goods or service, as printed.")
    quantity: Quantity | None
    unit_price: Quantity | None = field("The price of one.")
    amount: Money | None = field("The line's total.")

    @consistency
    def amount_is_quantity_times_price(self) -> Iterator[Finding]:
        """Within the rounding of the printed price and amount."""
        if self.quantity is None or self.unit_price is None or self.amount is None:
            return
        if not arithmetic.is_product(self.amount, self.quantity, self.unit_price):
            expected = self.quantity * self.unit_price
            message = f"{self.quantity} at {self.unit_price} is {expected:f}, not {self.amount}."
            yield inconsistent(message, pointer="/amount", expected=f"{expected:f}", found=self.amount)


class Invoice(ExtractionSchema):
    """A supplier's invoice: who bills whom, for what, and how much."""

    instructions = (
        "Read the invoice and answer with what it says. Copy numbers and names as printed. "
        "Write dates as YYYY-MM-DD and amounts as plain numbers with a decimal point. "
        "List each line once, in order. Answer null for what is not in the invoice."
    )
    example = (
        EXAMPLE,
        {
            "reasoning": "The number is HF-7730; the lines are 54.75 and 6.00, the total is 72.90.",
            "invoice_number": "HF-7730",
            "issue_date": "2021-02-14",
            "seller": "Harrow & Finch Ltd",
            "buyer": "Ostrava Ceramics",
            "currency": "GBP",
            "lines": [
                {"description": "Kiln shelf", "quantity": "3", "unit_price": "18.25", "amount": "54.75"},
                {"description": "Delivery", "quantity": "1", "unit_price": "6.00", "amount": "6.00"},
            ],
            "tax": "12.15",
            "total": "72.90",
        },
    )

    reasoning: Reasoning
    invoice_number: Identifier | None = field("As printed, with its prefix.")
    issue_date: date | None = field("The invoice's own date, not the due date.")
    seller: Name | None = field("Who sends the bill.", compare="name")
    buyer: Name | None = field("Who is to pay.", compare="name")
    currency: Currency | None = field(synonyms=SYNONYMS)
    lines: list[Line] = field("The lines, without sums.", max_length=12)
    tax: Money | None = field("All tax together.")
    total: Money | None = field("The total, tax included.")

    @consistency
    def lines_sum_to_total(self) -> Iterator[Finding]:
        """The lines add up to the total, or with the tax do; half a cent of rounding is allowed for each."""
        summed = arithmetic.total(line.amount for line in self.lines)
        if summed is None or self.total is None:
            return
        readings = [summed, *([summed + self.tax] if self.tax is not None else [])]
        if not any(arithmetic.equal(reading, self.total, len(self.lines)) for reading in readings):
            message = f"The lines sum to {summed}, with tax {readings[-1]}; the total is {self.total}."
            yield inconsistent(message, pointer="/total", expected=readings[-1], found=self.total)

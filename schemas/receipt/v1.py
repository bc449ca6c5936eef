"""Till receipts, first version: who sold, where, when, and for how much in all."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated

from pydantic import Field, StringConstraints

from schemas.contract import ExtractionSchema, Reasoning, Text, consistency, field, inconsistent
from schemas.records import Finding

Address = Annotated[str, StringConstraints(min_length=1, max_length=160)]
Total = Annotated[Decimal, Field(max_digits=9, decimal_places=2)]
EXAMPLE = """\
LUMEN BOOKS SDN BHD
(88213-K)
12 & 14, JALAN KENARI,
47100 PUCHONG.
DATE 27/11/2016 18:20
NOTEBOOK A5 2 X 4.15 8.30
TOTAL 8.30
CASH 10.00
CHANGE 1.70
THANK YOU
"""


class Receipt(ExtractionSchema):
    """A till receipt: the seller, the day of the sale and the amount paid."""

    instructions = (
        "Read the receipt and answer with what is printed on it. "
        "Copy the company and the address as printed, the address as one line. "
        "The total is what the customer has to pay after tax and rounding, not the cash or the change. "
        "Answer null for what is not on the receipt."
    )
    example = (
        EXAMPLE,
        {
            # Words first, then the numbers: a reasoning that began with a number made small models
            # run on in numbers, and one without numbers made them copy the total of the example.
            "reasoning": "The name is on top; the line TOTAL says 8.30, day first.",
            "company": "LUMEN BOOKS SDN BHD",
            "date": "2016-11-27",
            "address": "12 & 14, JALAN KENARI, 47100 PUCHONG.",
            "total": "8.30",
        },
    )

    reasoning: Reasoning
    company: Text | None = field("The seller's name as printed, usually the first line.", compare="name")
    date: dt.date | None = field("The day of the sale, as YYYY-MM-DD.")
    address: Address | None = field("The seller's address as printed, on one line.", compare="address")
    total: Total | None = field("The amount to pay, a plain number without currency.")

    @consistency
    def total_is_not_negative(self) -> Iterator[Finding]:
        """What a customer pays is never below zero; a refund has another form."""
        if self.total is not None and self.total < 0:
            yield inconsistent(
                "The total is negative.", pointer="/total", expected="at least 0", found=self.total
            )

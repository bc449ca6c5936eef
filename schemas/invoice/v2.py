"""Invoices, second version: European e-invoices with all their totals, and credit notes.

The values follow EN 16931, the European core invoice: BT-1 number, BT-106 lines' total, BT-109 net total,
BT-110 tax, BT-112 grand total, BT-113 prepaid, BT-115 due.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Literal

from pydantic import StringConstraints

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
)
from schemas.invoice import v2_rules as rules
from schemas.invoice.currencies import SYNONYMS, Currency
from schemas.invoice.v2_example import ANSWER, DOCUMENT
from schemas.records import Finding

Name = Annotated[str, StringConstraints(min_length=1, max_length=80)]
Place = Annotated[str, StringConstraints(min_length=1, max_length=60)]
Postcode = Annotated[str, StringConstraints(min_length=1, max_length=12)]
DocumentType = Literal[
    "invoice", "credit note", "corrected invoice", "advance invoice", "self-billed invoice"
]
TYPE_SYNONYMS = {
    "invoice": ("Rechnung", "facture", "fattura", "factura", "factuur", "faktura", "bill"),
    "credit note": ("Gutschrift", "credit memo", "avoir", "nota di credito", "nota de crédito", "creditnota"),
    "corrected invoice": ("Rechnungskorrektur", "Korrekturrechnung", "facture rectificative", "correction"),
    "advance invoice": ("Abschlagsrechnung", "Anzahlungsrechnung", "facture d'acompte", "prepayment invoice"),
    "self-billed invoice": ("Gutschriftsverfahren", "Gutschrift", "autofacture", "self-billing"),
}


class Party(Row):
    """A seller or buyer."""

    name: Name | None = field("The company or person.", compare="name")
    street: Name | None = field(compare="address")
    postcode: Postcode | None
    city: Place | None = field(compare="name")
    vat_id: Identifier | None = field("With its country prefix.", compare="identifier")


class Line(Row):
    """One line: what was supplied, how many, at what price."""

    name: Text | None = field("The goods or service, as printed.")
    quantity: Quantity | None
    unit_price: Quantity | None = field("The net price of one.")
    line_total: Money | None

    @consistency
    def total_is_quantity_times_price(self) -> Iterator[Finding]:
        """A warning alone: discounts, prices for a hundred and gross totals are common in true invoices."""
        yield from rules.product(self.quantity, self.unit_price, self.line_total)


class Invoice(ExtractionSchema):
    """An invoice or credit note with its parties, lines and totals."""

    instructions = (
        "Read the invoice and answer with what it says. Copy names and numbers as printed. "
        "Write dates as YYYY-MM-DD and amounts as plain numbers with a decimal point, with their sign. "
        "List each line once, in order. The net total is before tax, the grand total with tax, "
        "due is what is left to pay after prepayments. Answer null for what is not printed."
    )
    example = (DOCUMENT, ANSWER)

    reasoning: Reasoning
    document_type: DocumentType | None = field(synonyms=TYPE_SYNONYMS)
    invoice_number: Identifier | None = field("As printed, with its prefix.", compare="identifier")
    issue_date: date | None = field("The invoice's own date.")
    due_date: date | None = field("The last day to pay, where a day is printed.")
    seller: Party | None = field("Who sends the bill.")
    buyer: Party | None = field("Who is to pay.")
    currency: Currency | None = field(synonyms=SYNONYMS)
    lines: list[Line] = field("The lines, without sums.", max_length=24)
    lines_total: Money | None = field("The sum of the lines.")
    net_total: Money | None = field("The total before tax.")
    tax_total: Money | None = field("All tax together.")
    grand_total: Money | None = field("The total with tax.")
    prepaid: Money | None = field("What was paid before.")
    due: Money | None = field("What is left to pay.")
    iban: Identifier | None = field("The seller's account.", compare="identifier")

    @consistency
    def lines_sum_to_lines_total(self) -> Iterator[Finding]:
        """Half a cent of rounding is allowed for each line."""
        amounts = [line.line_total for line in self.lines]
        yield from rules.line_sum(amounts, self.lines_total, self.net_total, self.tax_total)

    @consistency
    def net_and_tax_make_the_grand_total(self) -> Iterator[Finding]:
        """Within a cent."""
        yield from rules.with_tax(self.net_total, self.tax_total, self.grand_total)

    @consistency
    def due_is_what_is_not_prepaid(self) -> Iterator[Finding]:
        """Within a cent, whichever sign the prepayment is printed with."""
        yield from rules.left_to_pay(self.grand_total, self.prepaid, self.due)

    @consistency
    def due_date_is_not_before_issue(self) -> Iterator[Finding]:
        """Nobody has to pay before the bill is written."""
        yield from rules.dates(self.issue_date, self.due_date)

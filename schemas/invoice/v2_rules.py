"""The consistency rules of `invoice@2`, each over the values that it needs. A null among them says nothing.

Rounding: see `schemas.arithmetic`. Released with `invoice@2`: a change here is a change of that version.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal

from schemas import arithmetic
from schemas.contract import inconsistent
from schemas.records import Finding, Severity


def product(quantity: Decimal | None, price: Decimal | None, amount: Decimal | None) -> Iterator[Finding]:
    """A line's total against quantity times price; a warning."""
    if quantity is None or price is None or amount is None or arithmetic.is_product(amount, quantity, price):
        return
    expected = f"{quantity * price:f}"
    message = (
        f"{quantity} at {price} is {expected}, not {amount}: a discount, a price basis, or a misreading."
    )
    yield inconsistent(
        message, pointer="/line_total", expected=expected, found=amount, severity=Severity.WARNING
    )


def line_sum(
    amounts: Sequence[Decimal | None],
    lines_total: Decimal | None,
    net_total: Decimal | None,
    tax_total: Decimal | None,
) -> Iterator[Finding]:
    """The lines, net or with tax, against their printed sum, or the net total where no sum is printed."""
    summed = arithmetic.total(amounts)
    target, pointer = (lines_total, "/lines_total") if lines_total is not None else (net_total, "/net_total")
    if summed is None or target is None:
        return
    readings = (summed, summed - (tax_total or Decimal(0)))
    if any(arithmetic.equal(reading, target, len(amounts)) for reading in readings):
        return
    # Charges and discounts on the whole invoice stand between the lines and the net total.
    severity = Severity.ERROR if lines_total is not None else Severity.WARNING
    message = f"The lines sum to {summed}; printed is {target}."
    yield inconsistent(message, pointer=pointer, expected=summed, found=target, severity=severity)


def with_tax(net: Decimal | None, tax: Decimal | None, grand: Decimal | None) -> Iterator[Finding]:
    """Net total and tax against the grand total."""
    if net is None or tax is None or grand is None or arithmetic.equal(net + tax, grand):
        return
    message = f"Net {net} and tax {tax} make {net + tax}, not {grand}."
    yield inconsistent(message, pointer="/grand_total", expected=net + tax, found=grand)


def left_to_pay(grand: Decimal | None, prepaid: Decimal | None, due: Decimal | None) -> Iterator[Finding]:
    """Due against the grand total less what was prepaid. A credit may leave nothing to pay.

    Without a prepayment a difference is a warning: part payments are often told in words only.
    """
    if grand is None or due is None or (grand < 0 and due == 0):
        return
    expected = grand - abs(prepaid or Decimal(0)).copy_sign(grand)
    if arithmetic.equal(expected, due):
        return
    severity = Severity.WARNING if prepaid is None else Severity.ERROR
    message = f"Of {grand}, {prepaid or 0} was prepaid: {expected} is due, not {due}."
    yield inconsistent(message, pointer="/due", expected=expected, found=due, severity=severity)


def dates(issued: date | None, due: date | None) -> Iterator[Finding]:
    """The due date against the issue date."""
    if issued is not None and due is not None and due < issued:
        message = f"Due on {due}, before it was issued on {issued}."
        yield inconsistent(message, pointer="/due_date", expected=f"{issued} or later", found=due)

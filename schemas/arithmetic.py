"""The rounding that documents do, for consistency rules. Exact decimals throughout.

A printed amount is a rounded one: it may be off by half a unit of its last place, at most half a cent. A sum
of n printed amounts may be off by n halves of a cent, and a product by the price's half unit times the
quantity besides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

HALF_CENT = Decimal("0.005")


def equal(first: Decimal, second: Decimal, terms: int = 1) -> bool:
    """Whether two amounts agree, where `terms` rounded amounts went into one of them."""
    return abs(first - second) <= HALF_CENT * (terms + 1)


def is_product(amount: Decimal, quantity: Decimal, price: Decimal) -> bool:
    """Whether a printed amount is quantity times unit price, the price itself perhaps rounded in print."""
    exponent = price.as_tuple().exponent
    places = max(2, -exponent if isinstance(exponent, int) else 0)
    half_unit = Decimal(5).scaleb(-places - 1)
    return abs(quantity * price - amount) <= HALF_CENT + half_unit * abs(quantity)


def total(amounts: Iterable[Decimal | None]) -> Decimal | None:
    """The sum; None where there is nothing to add or where one of the amounts is unknown."""
    known: Sequence[Decimal | None] = list(amounts)
    present = [amount for amount in known if amount is not None]
    return sum(present, Decimal(0)) if present and len(present) == len(known) else None

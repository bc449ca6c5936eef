"""Checks that schema authors call in their `@consistency` rules. Each yields findings; a null says nothing.

    @consistency
    def lines_sum(self) -> Iterator[Finding]:
        yield from checks.sums_to([line.amount for line in self.lines], self.total, "/total", self.currency)

Amounts are exact decimals. How far a printed sum may be off is said by a `Rounding`, never by a float.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from enum import StrEnum
from functools import reduce

from stdnum import ean, iban
from stdnum.eu import vat
from stdnum.util import get_cc_module

from schemas.contract import inconsistent
from schemas.records import Finding

Amount = Decimal | None
_EXACT = Context(prec=400)
"""Digits enough that no amount is too long to be rounded; what is added up is exact likewise."""
_MINOR_UNITS: Mapping[str, int] = {
    **dict.fromkeys(
        [
            "BIF",
            "CLP",
            "DJF",
            "GNF",
            "ISK",
            "JPY",
            "KMF",
            "KRW",
            "PYG",
            "RWF",
            "UGX",
            "UYI",
            "VND",
            "VUV",
            "XAF",
            "XOF",
            "XPF",
        ],
        0,
    ),
    "CLF": 4,
    "UYW": 4,
    **dict.fromkeys(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"], 3),
}


class Rounding(StrEnum):
    """How printed amounts were rounded before they were added up."""

    HALF_UP = ROUND_HALF_UP
    HALF_EVEN = ROUND_HALF_EVEN
    DOWN = ROUND_DOWN


@dataclass(frozen=True, slots=True)
class Rule:
    """The rounding rule of a sum: the mode, and whether each term was rounded by itself or only the sum."""

    rounding: Rounding = Rounding.HALF_UP
    each_term: bool = True


PRINTED = Rule()
"""What is printed was rounded half up, term by term."""


def minor_unit(currency: str | None) -> Decimal:
    """The smallest amount of a currency (ISO 4217): 0.01 for most, 1 for yen, 0.001 for Kuwaiti dinar."""
    return Decimal(1).scaleb(-_places(currency))


def rounded(amount: Decimal, currency: str | None = None, rule: Rule = PRINTED) -> Decimal:
    """An amount in whole minor units of its currency."""
    return amount.quantize(minor_unit(currency), rounding=rule.rounding.value, context=_EXACT)


def sums_to(
    terms: Sequence[Amount], total: Amount, pointer: str, currency: str | None = None, rule: Rule = PRINTED
) -> Iterator[Finding]:
    """The terms against their printed sum; silent where one of them is null or there are none."""
    known = [term for term in terms if term is not None]
    if total is None or not known or len(known) < len(terms):
        return
    parts = [rounded(term, currency, rule) for term in known] if rule.each_term else known
    expected = rounded(reduce(_EXACT.add, parts), currency, rule)
    if expected != rounded(total, currency, rule):
        message = f"The {len(known)} amounts sum to {expected}; printed is {total}."
        yield inconsistent(message, pointer=pointer, expected=expected, found=total)


def multiplies_to(
    quantity: Amount, price: Amount, amount: Amount, pointer: str, currency: str | None = None
) -> Iterator[Finding]:
    """Cross-foot of one line: quantity times unit price against the line's amount.

    The unit price itself may be rounded in print, so that half a unit of its last place is allowed a piece.
    """
    if quantity is None or price is None or amount is None:
        return
    exponent = price.as_tuple().exponent
    places = max(-exponent if isinstance(exponent, int) else 0, _places(currency))
    slack = Decimal(5).scaleb(-places - 1) * abs(quantity) + minor_unit(currency) / 2
    expected = quantity * price
    if abs(expected - amount) > slack:
        message = f"{quantity} at {price} is {rounded(expected, currency)}, not {amount}."
        yield inconsistent(message, pointer=pointer, expected=rounded(expected, currency), found=amount)


def taxed(
    net: Amount, rate: Amount, tax: Amount, pointer: str, currency: str | None = None
) -> Iterator[Finding]:
    """Tax by `rate` in percent. One minor unit off is allowed, for tax is often rounded by the line."""
    if net is None or rate is None or tax is None:
        return
    expected = rounded(net * rate / 100, currency)
    if abs(expected - tax) > minor_unit(currency):
        message = f"{rate} % of {net} is {expected}, not {tax}."
        yield inconsistent(message, pointer=pointer, expected=expected, found=tax)


def is_due(total: Amount, prepaid: Amount, due: Amount, pointer: str) -> Iterator[Finding]:
    """What is due against the total less what was prepaid, exactly, whichever sign the prepayment has."""
    if total is None or due is None:
        return
    paid = abs(prepaid or Decimal(0)).copy_sign(total)
    if total - paid != due:
        message = f"{total} less {abs(paid)} is {total - paid}, not {due}."
        yield inconsistent(message, pointer=pointer, expected=total - paid, found=due)


def in_order(earlier: date | None, later: date | None, pointer: str) -> Iterator[Finding]:
    """Two dates, the first not after the second. `pointer` is the second's."""
    if earlier is not None and later is not None and later < earlier:
        yield inconsistent(
            f"{later} lies before {earlier}.", pointer=pointer, expected=f"{earlier} or later", found=later
        )


def same_sign(amounts: Mapping[str, Amount]) -> Iterator[Finding]:
    """A credit note's amounts by pointer: all negative or all positive, never mixed. Zero goes with both."""
    signs = {pointer: amount > 0 for pointer, amount in amounts.items() if amount}
    if len(set(signs.values())) < 2:
        return
    first = next(iter(signs))
    for pointer, positive in signs.items():
        if positive != signs[first]:
            expected = "the same sign as " + first
            message = f"{pointer} and {first} have different signs."
            yield inconsistent(message, pointer=pointer, expected=expected, found=amounts[pointer])


def _places(currency: str | None) -> int:
    return _MINOR_UNITS.get((currency or "").upper(), 2)


def valid_iban(value: str | None, pointer: str) -> Iterator[Finding]:
    """An IBAN's check digits and length (ISO 13616)."""
    yield from _checksum("IBAN", iban.is_valid, value, pointer)


def valid_vat_id(value: str | None, pointer: str) -> Iterator[Finding]:
    """A VAT id with its country's prefix: that country's own check, in the European Union and elsewhere."""
    yield from _checksum("VAT id", _is_vat_id, value, pointer)


def _is_vat_id(value: str) -> bool:
    if vat.is_valid(value):
        return True
    compact = re.sub(r"[\W_]", "", value).upper()
    national = get_cc_module(compact[:2].lower(), "vat") if compact[:2].isalpha() else None
    return national is not None and any(national.is_valid(text) for text in (compact, compact[2:]))


def valid_gtin(value: str | None, pointer: str) -> Iterator[Finding]:
    """A GTIN (EAN-8, -12, -13, -14): its check digit."""
    yield from _checksum("GTIN", ean.is_valid, value, pointer)


def _checksum(
    name: str, is_valid: Callable[[str], bool], value: str | None, pointer: str
) -> Iterator[Finding]:
    if value is not None and not is_valid(value):
        message = f"{value!r} is no valid {name}: its check digits do not fit."
        yield inconsistent(message, pointer=pointer, expected=f"a valid {name}", found=value)


def at_least_one(values: Mapping[str, object]) -> Iterator[Finding]:
    """At least one of the values, by pointer, is given: neither null nor an empty text or list."""
    if values and not any(map(_given, values.values())):
        names = ", ".join(values)
        yield inconsistent(f"None of {names} is given.", pointer=next(iter(values)), expected="at least one")


def _given(value: object) -> bool:
    return value is not None and value not in ("", [], ())


def all_or_none(values: Mapping[str, object]) -> Iterator[Finding]:
    """Either all of the values, by pointer, are given or none."""
    missing = [pointer for pointer, value in values.items() if not _given(value)]
    if 0 < len(missing) < len(values):
        given = ", ".join(pointer for pointer in values if pointer not in missing)
        for pointer in missing:
            yield inconsistent(
                f"{given} is given, {pointer} is not.", pointer=pointer, expected="all or none"
            )

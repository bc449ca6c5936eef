"""What a document shows of its country: currency, tax, legal forms, words. It decides how its dates are read.

Different signs are counted, not their repetitions; only a clear majority counts.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]+")
_DAY_FIRST = """
rm sdn bhd gst vat mwst ust tva iva btw myr eur gbp pln czk inr chf gmbh sarl pty plc rechnung facture fattura
factura fatura faktura jalan malaysia singapore deutschland france italia españa india australia kuala lumpur
selangor johor strasse rue calle datum betrag montant fecha importe zł kč gstin cgst sgst postcode
"""
_WORDS = {
    "dmy": frozenset(_DAY_FIRST.split()),
    "mdy": frozenset(
        {"usd", "llc", "zip", "ein", "irs", "california", "texas", "florida", "delaware", "ohio"}
    ),
    "ymd": frozenset({"円", "元", "원", "jpy", "cny", "krw", "sek", "huf", "moms", "forint"}),
}
_SIGNS = {
    "dmy": "€£₹",
    "mdy": ("us$", "u.s.", "sales tax", "united states"),
    "ymd": ("株式会社", "合計", "合计", "합계"),
}


def date_order(text: str) -> str | None:
    """`dmy`, `mdy` or `ymd` by the country that a folded text shows; None where it shows none, or several.

    The winner needs more than twice the signs of the next one.
    """
    words = set(_WORD.findall(text))
    shown = sorted(
        (len(words & known) + sum(sign in text for sign in _SIGNS[order]), order)
        for order, known in _WORDS.items()
    )
    return shown[-1][1] if shown[-1][0] > 2 * shown[-2][0] else None

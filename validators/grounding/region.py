"""What a document shows of its country: currency, tax, legal forms. It decides how its dates are read.

Each country's signs vote for one order of day, month and year; only a unanimous vote counts.
"""

from __future__ import annotations

import re

_DAY_FIRST = (
    r"\brm ?\d|\bsdn\b|\bbhd\b|\bgst\b|\bvat\b|\bmwst\b|\bust\b|\bust-id|\btva\b|\biva\b|\bbtw\b|\bmyr\b|\beur\b|€|£"
    r"|\bgbp\b|\bpln\b|zł|\bczk\b|kč|\binr\b|₹|r\$|\bchf\b|\bgmbh\b|\bs\.?a\.?r\.?l\b|\bs\.p\.a\b|\bb\.v\.|\bpty\b"
    r"|\brechnung|\bfacture\b|\bfattura\b|\bfactura\b|\bfatura\b|\bfaktura\b|\bjalan\b|\bplc\b|\bmalaysia\b|\bsingapore\b"
    r"|\bunited kingdom\b|\bdeutschland\b|\bfrance\b|\bindia\b|\baustralia\b"
)
_MONTH_FIRST = (
    r"\busd\b|us\$|\bllc\b|\bsales tax\b|\bzip code\b|\bunited states\b|\bu\.s\.a?\b|\b(?:al|ak|az|ar|ca|co|ct|de|fl|ga|hi"
    r"|id|il|in|ia|ks|ky|la|me|md|ma|mi|mn|ms|mo|mt|ne|nv|nh|nj|nm|ny|nc|nd|oh|ok|or|pa|ri|sc|sd|tn|tx|ut|vt|va|wa|wv|wi"
    r"|wy|dc),? \d{5}(?:-\d{4})?\b"
)
_YEAR_FIRST = r"円|元|원|\bjpy\b|\bcny\b|\bkrw\b|\bsek\b|\bhuf\b|\bmoms\b|\bforint\b"
_ORDERS = tuple(
    (order, re.compile(pattern))
    for order, pattern in (("dmy", _DAY_FIRST), ("mdy", _MONTH_FIRST), ("ymd", _YEAR_FIRST))
)


def date_order(text: str) -> str | None:
    """`dmy`, `mdy` or `ymd` by the country that a folded text shows; None where it shows none, or several."""
    shown = [order for order, pattern in _ORDERS if pattern.search(text)]
    return shown[0] if len(shown) == 1 else None

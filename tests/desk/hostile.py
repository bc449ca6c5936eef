"""Documents, names and answers that would take a page over, if anything of them were more than text."""

from __future__ import annotations

import json

SOURCE_PLACE = "http://203.0.113.7"
ATTACK = (
    "<script>document.title='taken';alert(1)</script>"
    f"<img src={SOURCE_PLACE}/x.png onerror=\"document.title='taken';alert(2)\">"
    f"<a href=\"javascript:document.title='taken'\">look</a>"
    f"<iframe src={SOURCE_PLACE}/frame></iframe><style>@import '{SOURCE_PLACE}/x.css';</style>"
    "</pre></textarea></title></select><svg onload=alert(3)>"
)
# The slash would end a file name here; a browser's parser takes nothing else for it.
NAME = "\"'><script>alert(1)<⁄script><img src=x onerror=alert(1)>{{7*7}} it's quiet"
TEXT = f"""Quiet & Sons {ATTACK}
INVOICE QS-1 of 2 March 2026
For: {ATTACK}
Tea     10.00
Total   10.00 EUR
"""
HTML = f"<html><body onload=alert(4)>{ATTACK}<p>INVOICE QS-2</p><p>Total 10.00 EUR</p></body></html>"
MAIL = f"""From: a@example.org
To: b@example.org
Subject: {ATTACK}
Content-Type: text/html

{HTML.replace("QS-2", "QS-3")}
"""
DOCUMENTS = {f"{NAME}.txt": TEXT, f"{NAME}.html": HTML, f"{NAME}.eml": MAIL}


def answer(prompt: str) -> str:
    """An answer that repeats the attack, and one that is no JSON for the HTML."""
    if "QS-2" in prompt:
        return f"Sure! {ATTACK}"
    return json.dumps(
        {
            "reasoning": ATTACK[:60],
            "invoice_number": "QS-1",
            "issue_date": "2026-03-02",
            "seller": ATTACK[:80],
            "buyer": "<b onclick=alert(5)>Quiet</b>",
            "currency": "EUR",
            "lines": [{"description": ATTACK[:80], "quantity": "1", "unit_price": "10", "amount": "10.00"}],
            "tax": None,
            "total": "11.00",
        }
    )

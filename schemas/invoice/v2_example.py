"""The worked example of `invoice@2`: a made-up document and its answer."""

from __future__ import annotations

from typing import Any

DOCUMENT = """\
Brennecke Metallbau GmbH, Lindenweg 7, 04177 Leipzig, USt-IdNr. DE814725036
Tavares & Filhos Lda, Rua do Carmo 51, 1200-093 Lisboa
Rechnung Nr. RE-60418                Datum: 19.11.2015
2 Geländer        140,00     280,00
1 Montage          95,50      95,50
Summe der Positionen         375,50
Nettobetrag                  375,50
MwSt 19 %                     71,35
Gesamtbetrag EUR             446,85
Anzahlung                    200,00
Zu zahlen bis 03.12.2015     246,85
IBAN DE02120300000000202051
"""

ANSWER: dict[str, Any] = {
    "reasoning": "The number is RE-60418; of 446.85 in all, 200.00 was prepaid.",
    "document_type": "invoice",
    "invoice_number": "RE-60418",
    "issue_date": "2015-11-19",
    "due_date": "2015-12-03",
    "seller": {
        "name": "Brennecke Metallbau GmbH",
        "street": "Lindenweg 7",
        "postcode": "04177",
        "city": "Leipzig",
        "vat_id": "DE814725036",
    },
    "buyer": {
        "name": "Tavares & Filhos Lda",
        "street": "Rua do Carmo 51",
        "postcode": "1200-093",
        "city": "Lisboa",
        "vat_id": None,
    },
    "currency": "EUR",
    "lines": [
        {"name": "Geländer", "quantity": "2", "unit_price": "140.00", "line_total": "280.00"},
        {"name": "Montage", "quantity": "1", "unit_price": "95.50", "line_total": "95.50"},
    ],
    "lines_total": "375.50",
    "net_total": "375.50",
    "tax_total": "71.35",
    "grand_total": "446.85",
    "prepaid": "200.00",
    "due": "246.85",
    "iban": "DE02120300000000202051",
}

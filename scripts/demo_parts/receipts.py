"""Till receipts, for the schema `receipt@1`: file name -> (encoding, text)."""

from __future__ import annotations

import json

PLAIN = """\
THE CORNER PANTRY
22 MILL ROAD, CAMBRIDGE CB1 2AD
DATE 2026-04-23
SOURDOUGH LOAF 3.60
TOTAL 3.60
CASH 5.00
CHANGE 1.40
"""

TEA_HOUSE = """\
PALM COURT TEA HOUSE
8, LORONG MERPATI, 11900 BAYAN LEPAS
DATE 2026-03-14
TEA POT 2 X 6.20 12.40
TOTAL 12.40
CASH 20.00
CHANGE 7.60
"""

MONTH_FIRST = """\
BLUE HERON GROCERY
510 PINE STREET, SALEM OR 97301
04/23/2026  17:42
OAT MILK 2 X 1.95      3.90
SOURDOUGH              3.60
TOTAL                  7.50
CASH                  10.00
CHANGE                 2.50
"""

GERMAN = """\
Bäckerei Süßmann
Kirchgasse 3, 72070 Tübingen
14.05.2026 08:13
3 Brezeln        2,70
Käsekuchen       3,40
Summe EUR        6,10
gegeben         10,00
zurück           3,90
"""

SPANISH = """\
FERRETERÍA EL MARTILLO S.L.
Calle Mayor 41, 28013 Madrid
Fecha: 19/02/2026
Taladro             1.049,90
Brocas                 24,10
TOTAL              1.074,00
Tarjeta            1.074,00
"""

FRENCH = """\
LIBRAIRIE DU PONT
7 quai des Arts, 69002 Lyon
28/01/2026 16:05
Atlas illustre      39,90
Carnet               8,50
TOTAL EUR           48,40
"""

RECEIPTS: dict[str, tuple[str, str]] = {
    "receipt-en.txt": ("utf-8", PLAIN),
    "receipt-my.txt": ("utf-8", TEA_HOUSE),
    "receipt-us.txt": ("utf-8", MONTH_FIRST),
    "kassenbon-de.txt": ("cp1252", GERMAN),
    "ticket-es.txt": ("utf-16", SPANISH),
}
# What is true of each: company, date, address and total, as `receipt@1` wants them.
TRUTH: dict[str, tuple[str, str, str, str]] = {
    "kassenbon-de.txt": ("Bäckerei Süßmann", "2026-05-14", "Kirchgasse 3, 72070 Tübingen", "6.10"),
    "receipt-en.txt": ("THE CORNER PANTRY", "2026-04-23", "22 MILL ROAD, CAMBRIDGE CB1 2AD", "3.60"),
    "receipt-my.txt": (
        "PALM COURT TEA HOUSE",
        "2026-03-14",
        "8, LORONG MERPATI, 11900 BAYAN LEPAS",
        "12.40",
    ),
    "receipt-us.txt": ("BLUE HERON GROCERY", "2026-04-23", "510 PINE STREET, SALEM OR 97301", "7.50"),
    "ticket-es.txt": ("FERRETERÍA EL MARTILLO S.L.", "2026-02-19", "Calle Mayor 41, 28013 Madrid", "1074.00"),
    "ticket-fr.pdf": ("LIBRAIRIE DU PONT", "2026-01-28", "7 quai des Arts, 69002 Lyon", "48.40"),
}


def labels() -> str:
    """The truth as JSON Lines, for `assay evaluate`; paths are below the demo's folder."""
    fields = ("company", "date", "address", "total")
    rows = [
        {"file": f"receipts/{name}", "fields": dict(zip(fields, values, strict=True))}
        for name, values in TRUTH.items()
    ]
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)

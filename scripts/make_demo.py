"""Write the demo's documents: `python -m scripts.make_demo DIR`. The same bytes every time."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

from scripts.demo_parts.failing import FAILING, too_long
from scripts.demo_parts.portable import docx, eml, pdf, scan, xlsx
from scripts.demo_parts.receipts import FRENCH, RECEIPTS, labels
from scripts.demo_parts.texts import LEDGER, TEXTS

GERMAN = """\
Rechnung RE-2026-118
Keller Elektrotechnik GmbH, Hafenstr. 12, 20457 Hamburg
An: Druckerei Petersen

Rechnungsdatum: 05.06.2026     Fällig: 19.06.2026
Verteilerschrank       1     890,00
Installation          8 h    544,56
Gesamtbetrag: 1.434,56 EUR
"""
FRENCH_INVOICE = """\
FACTURE F-2026-204
Atelier Beaumont SARL, 3 rue des Tanneurs, 33000 Bordeaux
Client : Restaurant La Vigne
Date : 14 avril 2026

4 x Tables bistrot     310,00      1 240,00
1 x Livraison           85,50         85,50
Total TTC : 1 325,50 EUR
"""
FIRST_PAGE = """\
Tidewater Marine Supply
Invoice TM-6603, issued July 1, 2026
Bill to: Gull Point Sailing Club
Mooring rope 12 mm      5 @ 42.00     210.00
Fenders                 8 @ 19.50     156.00
"""
SECOND_PAGE = """\
Page 2 of 2
Anchor chain            1 @ 134.00    134.00
Total: 500.00 USD
Please pay within 30 days. Quote the invoice number.
"""
MAIL = "Dear colleagues,\n\nour invoice SF-451 over 318.00 EUR is attached.\n\nSaffron Foods\n"
ATTACHED = (
    "Saffron Foods\nInvoice SF-451\nDate: 2026-03-12\nCustomer: Linden Canteens\n"
    "Basmati rice 25 kg     6 @ 53.00     318.00\nTotal: 318.00 EUR"
)
SPANISH = (
    "Factura 2026/77",
    "Cerámicas Lucena S.A., Calle Real 9, Córdoba",
    "Cliente: Bodegas Aranda",
    "Fecha: 22 de mayo de 2026",
    "Total: 2.150,75 EUR",
)
SPANISH_LINES = (("Azulejos", "1.900,75"), ("Transporte", "250,00"))
CREDIT = (
    "CREDIT NOTE CN-19",
    "Marlow & Finch Stationers Ltd to Harbour Lane Dental Practice",
    "16 March 2026, for invoice MF-10422",
    "Total credited: GBP -21.50",
)
CREDIT_LINES = (("Copy paper A4, box, returned", "-21.50"),)
SHEET: tuple[tuple[object, ...], ...] = (
    ("Invoice", "XL-3008"),
    ("Seller", "Ridge Bicycle Works"),
    ("Buyer", "City Couriers Co-op"),
    ("Date", "2026-04-02"),
    ("Item", "Qty", "Price", "Amount"),
    ("Brake pads", 24, 8.5, 204),
    ("Inner tubes", 40, 4.25, 170),
    ("Total USD", None, None, 374),
)


def documents() -> Iterator[tuple[str, bytes]]:
    """Each document's path under the demo's folder, and its bytes."""
    for name, (encoding, text) in TEXTS.items():
        yield f"documents/{name}", text.encode(encoding)
    for name, text in FAILING.items():
        yield f"documents/{name}", text.encode()
    for name, (encoding, text) in RECEIPTS.items():
        yield f"receipts/{name}", text.encode(encoding)
    yield "receipts/ticket-fr.pdf", pdf(FRENCH)
    yield "receipts-labels.jsonl", labels().encode()
    for name, data in (*_office(), *_broken()):
        yield f"documents/{name}", data


def _office() -> Iterator[tuple[str, bytes]]:
    """What offices send: PDF, Word, Excel, mail."""
    yield "rechnung-de.pdf", pdf(GERMAN)
    yield "facture-fr.pdf", pdf(FRENCH_INVOICE)
    yield "invoice-two-pages.pdf", pdf(FIRST_PAGE, SECOND_PAGE)
    yield "factura-es.docx", docx(SPANISH, SPANISH_LINES)
    yield "credit-note-en.docx", docx(CREDIT, CREDIT_LINES)
    yield "invoice-sheet.xlsx", xlsx("Invoice", SHEET)
    yield "mail-with-invoice.eml", eml(MAIL, "Invoice SF-451", ("SF-451.pdf", pdf(ATTACHED)))


def _broken() -> Iterator[tuple[str, bytes]]:
    """What no text can be taken from, or too much."""
    whole = pdf(LEDGER)
    yield "failing-encrypted.pdf", pdf(LEDGER, password="known-to-nobody")  # noqa: S106  (the point of it)
    yield "failing-corrupt.pdf", whole[:9] + random.Random(3).randbytes(len(whole) // 2)
    yield "failing-scanned.pdf", scan(LEDGER)
    yield "failing-too-long.txt", too_long().encode()
    yield "failing-unknown.bin", b"\x00\x01\x7f" + random.Random(4).randbytes(600)


def write(folder: Path) -> int:
    """Write all documents under `folder`. Returns how many."""
    written = 0
    for name, data in documents():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        written += 1
    return written


if __name__ == "__main__":
    print(f"{write(Path(sys.argv[1]))} documents in {sys.argv[1]}")

"""Documents that are plain text, whatever their ending: file name -> (encoding, text). All are invented."""

from __future__ import annotations

LEDGER = """\
Marlow & Finch Stationers Ltd
14 Quay Street, Bristol BS1 4QA

INVOICE MF-10422
Issued: 9 March 2026          Due: 8 April 2026
To: Harbour Lane Dental Practice

Copy paper A4, box        6 @ 21.50     129.00
Lever arch files         20 @  3.25      65.00
Total due: GBP 194.00
"""

SWEDISH = """\
# Faktura 2026-0317

**Säljare:** Norrsken Snickeri AB, Storgatan 8, 903 26 Umeå
**Köpare:** Kafé Älgen HB

| Artikel | Antal | À-pris | Belopp |
| --- | ---: | ---: | ---: |
| Bordsskivor i ek | 4 | 1 850,00 | 7 400,00 |
| Montering, timmar | 6 | 540,00 | 3 240,00 |

Fakturadatum: 2026-03-17
**Att betala: 10 640,00 SEK**
"""

JAPANESE = """\
請求書

請求書番号: S-20260415
発行日: 2026年4月15日
株式会社みどり文具
東京都千代田区神田1-2-3

山田設計事務所 御中

ノート      20冊    3,000円
万年筆       2本   16,800円
合計金額: 19,800円 (JPY)
"""

SWISS = """\
<!doctype html>
<html lang="de-CH"><head><meta charset="utf-8"><title>Rechnung 7781</title>
<style>td { padding: 2px }</style></head>
<body>
<h1>Rechnung 7781</h1>
<p>Alpenblick Catering GmbH, Seestrasse 5, 8002 Zürich</p>
<p>An: Verein Kulturbrücke &nbsp; Datum: 21.05.2026</p>
<table>
<tr><td>Apéro, 60 Personen</td><td>1'980.00</td></tr>
<tr><td>Servicepersonal</td><td>640.00</td></tr>
<tr><td>Total CHF</td><td>2'620.00</td></tr>
</table>
</body></html>
"""

ARABIC = """\
<!doctype html>
<html lang="ar" dir="rtl"><head><meta charset="utf-8"><title>فاتورة</title></head>
<body>
<h1>فاتورة رقم ق-558</h1>
<p>مكتبة النخيل، شارع الجامعة، عمّان</p>
<p>العميل: مدرسة الأمل</p>
<p>التاريخ: 2026-02-18</p>
<p>كتب مدرسية: 1,240.00</p>
<p>المجموع: 1,240.00 USD</p>
</body></html>
"""

CSV = """\
Rechnung;R-5520
Lieferant;Weber Gartenbau KG
Kunde;Hausverwaltung Lindner
Rechnungsdatum;12.06.2026
Position;Menge;Einzelpreis;Betrag
Heckenschnitt;14;48,50;679,00
Rasenpflege;9;62,00;558,00
Gesamt EUR;;;1.237,00
"""

JSON = """\
{
  "document": "Invoice",
  "number": "API-2291",
  "issued": "2026-01-30",
  "seller": {"name": "Copperline Hosting Inc.", "city": "Portland, OR"},
  "buyer": {"name": "Tern Analytics LLC"},
  "items": [
    {"text": "Virtual server, January", "amount": "84.00"},
    {"text": "Backup storage", "amount": "12.60"}
  ],
  "currency": "USD",
  "total": "96.60"
}
"""

XML = """\
<?xml version="1.0" encoding="UTF-8"?>
<Invoice>
  <ID>XR-90017</ID>
  <IssueDate>2026-05-04</IssueDate>
  <Seller>Bakkerij De Molen BV</Seller>
  <Buyer>Hotel Zeezicht</Buyer>
  <Line><Name>Bread rolls</Name><Quantity>300</Quantity><Amount>105.00</Amount></Line>
  <Line><Name>Rye loaves</Name><Quantity>25</Quantity><Amount>80.00</Amount></Line>
  <Currency>EUR</Currency>
  <PayableAmount>185.00</PayableAmount>
</Invoice>
"""

TEXTS: dict[str, tuple[str, str]] = {
    "invoice-en.txt": ("utf-8", LEDGER),
    "faktura-sv.md": ("utf-8", SWEDISH),
    "seikyusho-ja.txt": ("shift_jis", JAPANESE),
    "rechnung-ch.html": ("utf-8", SWISS),
    "fatura-ar.html": ("utf-8", ARABIC),
    "rechnung-de.csv": ("cp1252", CSV),
    "invoice-export.json": ("utf-8", JSON),
    "invoice-ubl.xml": ("utf-8", XML),
}

"""Small documents of each kind, written on the spot."""

from __future__ import annotations

import io
import zipfile
import zlib
from email.message import EmailMessage

import docx
import openpyxl
from fpdf import FPDF
from fpdf.enums import AccessPermission
from PIL import Image


def pdf(*pages: str, password: str | None = None, embedded: bytes | None = None) -> bytes:
    """A page for each text."""
    document = FPDF()
    document.set_font("Helvetica", size=12)
    for text in pages:
        document.add_page()
        if text:
            document.multi_cell(0, 8, text)
    if password:
        document.set_encryption("owner", password, permissions=AccessPermission.none())
    if embedded:
        document.embed_file(bytes=embedded, basename="embedded.txt")
    return bytes(document.output())


def drawn_pdf() -> bytes:
    """A page with a picture and no text."""
    document = FPDF()
    document.add_page()
    document.rect(20, 20, 100, 100, style="F")
    return bytes(document.output())


def pdf_bomb() -> bytes:
    """A page whose content unpacks from 0.3 MB to 300 MB."""
    packer = zlib.compressobj(1)
    lines = b"BT /F 12 Tf 20 200 Td (Company name:) Tj ET\n" * 20_000
    packed = b"".join(packer.compress(lines) for _ in range(350)) + packer.flush()
    plain = b"/Length 43 >> stream\nBT /F 12 Tf 20 200 Td (Company name:) Tj ET\nendstream"
    head = f"/Filter /FlateDecode /Length {len(packed)} >> stream\n".encode()
    return FILLED_FORM.replace(plain, head + packed + b"\nendstream")


def scanned_pdf(stamp: str) -> bytes:
    """A page that is one picture, with a scanner's stamp as its only text."""
    document = FPDF()
    document.set_font("Helvetica", size=8)
    for _ in range(2):
        document.add_page()
        document.image(Image.new("L", (60, 80), 200), x=0, y=0, w=document.w, h=document.h)
        document.text(10, 290, stamp)
    return bytes(document.output())


def double_struck_pdf(text: str) -> bytes:
    """Each character printed twice, a hair apart: an imitation of bold."""
    document = FPDF()
    document.add_page()
    document.set_font("Courier", size=12)
    for number, character in enumerate(text):
        for shift in (0.0, 0.1):
            document.text(20 + number * 2.6 + shift, 20, character)
    return bytes(document.output())


def word(paragraph: str, table: list[list[str]], header: str = "") -> bytes:
    """A DOCX with a paragraph, a table and a page header."""
    document = docx.Document()
    document.add_paragraph(paragraph)
    grid = document.add_table(len(table), len(table[0]))
    for row, values in enumerate(table):
        for column, value in enumerate(values):
            grid.cell(row, column).text = value
    if header:
        document.sections[0].header.paragraphs[0].text = header
    return saved(document)


def saved(document: object) -> bytes:
    """A python-docx document's or an openpyxl workbook's bytes."""
    buffer = io.BytesIO()
    document.save(buffer)  # type: ignore[attr-defined]
    return buffer.getvalue()


def workbook(**sheets: list[list[object]]) -> bytes:
    """An XLSX with these sheets; one whose name begins with `hidden` is hidden."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        sheet.sheet_state = "hidden" if name.startswith("hidden") else "visible"
        for row in rows:
            sheet.append(row)
    return saved(book)


def bomb(data: bytes, part: str, size: int = 257 << 20) -> bytes:
    """The package `data` with `part` replaced by `size` blanks, which pack to a thousandth."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new,
    ):
        for name in old.namelist():
            if name != part:
                new.writestr(name, old.read(name))
        with new.open(part, "w") as member:
            for _ in range(size // (1 << 20)):
                member.write(b" " * (1 << 20))
    return buffer.getvalue()


def mail(body: str, *attachments: tuple[str, bytes]) -> EmailMessage:
    """A mail from and to Northwind, with its attachments."""
    message = EmailMessage()
    message["From"] = "Jürgen <juergen@northwind.example>"
    message["To"] = "billing@northwind.example"
    message["Date"] = "Sat, 09 Mar 2024 10:00:00 +0100"
    message["Subject"] = "Rechnung für März"
    message.set_content(body)
    for name, data in attachments:
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message


FILLED_FORM = b"""\
%PDF-1.7
1 0 obj << /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [5 0 R 6 0 R 7 0 R] >> >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R
 /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>
 /Annots [5 0 R 6 0 R 7 0 R] >> endobj
4 0 obj << /Length 43 >> stream
BT /F 12 Tf 20 200 Td (Company name:) Tj ET
endstream endobj
5 0 obj << /Type /Annot /Subtype /Widget /FT /Tx /T (company) /V (Northwind Traders)
 /Rect [100 190 250 210] /P 3 0 R >> endobj
6 0 obj << /Type /Annot /Subtype /Widget /FT /Btn /T (paid) /V /Yes /AS /Yes
 /Rect [100 160 110 170] /P 3 0 R
 /AP << /N << /Yes 8 0 R /Off 8 0 R >> >> >> endobj
7 0 obj << /Type /Annot /Subtype /Widget /FT /Tx /T (empty) /Rect [100 130 250 150] /P 3 0 R >> endobj
8 0 obj << /Type /XObject /Subtype /Form /BBox [0 0 10 10] /Length 0 >> stream
endstream endobj
trailer << /Root 1 0 R >>
%%EOF"""
"""A page with a label, a filled text field, a set switch and an empty field. No library here writes such."""

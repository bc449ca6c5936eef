"""Writers for the binary formats. The same input gives the same bytes: no clock, no random identifiers."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP

from docx import Document as WordDocument
from fpdf import FPDF
from fpdf.enums import AccessPermission, EncryptionMethod
from openpyxl import Workbook
from PIL import Image, ImageDraw

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
_STAMP = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class _Pdf(FPDF):
    """A PDF whose file identifier is fixed, so that encryption too comes out the same."""

    def file_id(self) -> str:
        """The identifier of the trailer (ISO 32000-1, 14.4): 16 bytes in hexadecimal, twice."""
        return "<0123456789ABCDEF0123456789ABCDEF><0123456789ABCDEF0123456789ABCDEF>"


def _new_pdf() -> FPDF:
    pdf = _Pdf()
    pdf.set_creation_date(EPOCH)
    pdf.set_font("Helvetica", size=11)
    return pdf


def pdf(*pages: str, password: str | None = None) -> bytes:
    """One page a text, in Latin-1. With a password nobody can read it who does not know that."""
    document = _new_pdf()
    if password:
        document.set_encryption(
            owner_password=password,
            user_password=password,
            encryption_method=EncryptionMethod.RC4,
            permissions=AccessPermission.none(),
        )
    for page in pages:
        document.add_page()
        document.multi_cell(0, 6, page)
    return bytes(document.output())


def scan(text: str) -> bytes:
    """A PDF that holds a picture of the text, and no text: what an office scanner writes."""
    image = Image.new("L", (620, 400), color=255)
    ImageDraw.Draw(image).multiline_text((30, 30), text, fill=0)
    document = _new_pdf()
    document.add_page()
    document.image(image, x=10, y=10, w=180)
    return bytes(document.output())


def docx(paragraphs: Sequence[str], table: Sequence[Sequence[str]]) -> bytes:
    """A Word document: paragraphs, then one table, then nothing."""
    document = WordDocument()
    document.core_properties.created = document.core_properties.modified = EPOCH
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    grid = document.add_table(rows=0, cols=len(table[0]))
    for row in table:
        for cell, text in zip(grid.add_row().cells, row, strict=True):
            cell.text = text
    out = io.BytesIO()
    document.save(out)
    return _fixed(out.getvalue())


def xlsx(title: str, rows: Sequence[Sequence[object]]) -> bytes:
    """A workbook with one sheet."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = title
    for row in rows:
        sheet.append(list(row))
    out = io.BytesIO()
    book.save(out)
    return _fixed(out.getvalue())


def eml(body: str, subject: str, attachment: tuple[str, bytes]) -> bytes:
    """A mail with a text body and a PDF attached."""
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"] = "billing@saffron.example", "accounts@linden.example"
    mail["Subject"], mail["Date"] = subject, "Thu, 12 Mar 2026 10:15:00 +0000"
    mail["Message-ID"] = "<demo-1@saffron.example>"
    mail.set_content(body)
    name, data = attachment
    mail.add_attachment(data, maintype="application", subtype="pdf", filename=name)
    mail.set_boundary("==demo-boundary==")
    return mail.as_bytes()


def _fixed(archive: bytes) -> bytes:
    """The same zip with every time set to one moment, also in its `core.xml`."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "docProps/core.xml":
                data = _STAMP.sub(EPOCH.strftime("%Y-%m-%dT%H:%M:%SZ").encode(), data)
            target.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()

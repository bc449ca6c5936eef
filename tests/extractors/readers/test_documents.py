"""Each kind of document through real workers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from decimal import Decimal

import pytest

from extractors.readers import READER_VERSIONS
from extractors.readers.pool import ReaderPool
from schemas.records import Category, Document
from tests.extractors.readers import documents as make


@pytest.fixture(scope="module")
def pool() -> Iterator[ReaderPool]:
    with ReaderPool(workers=2) as pool:
        yield pool


def read(pool: ReaderPool, data: bytes) -> Document:
    """The document alone, under a name that tells nothing."""
    return pool.read(data, "document.bin")[0].document


def readable(pool: ReaderPool, data: bytes) -> Document:
    document = read(pool, data)
    assert document.category is None, document.message
    return document


@pytest.mark.parametrize(
    ("text", "media_type"),
    [
        ("Invoice INV-2041, issued 2024-03-09.\nTotal due: 62.00 EUR\n", "text/plain"),
        ("Dear Ms Larsen,\nthank you, as ever, for coming.\nYours, Tom\n", "text/plain"),
        ("# Invoice\n\n- **Total**: 62.00 EUR\n", "text/markdown"),
        ("item,qty,price\nWidget,4,12.50\nGasket,10,1.20\n", "text/csv"),
        ('item;note\n"a;b";"two\nlines"\n', "text/csv"),
        ("item\tqty\nWidget\t4\n", "text/tab-separated-values"),
        ('{"invoice": "INV-2041", "total": 62.00}', "application/json"),
        ('{"a": 1}\n{"a": 2}\n', "application/jsonl"),
        ('<?xml version="1.0"?>\n<invoice><total>62.00</total></invoice>', "application/xml"),
        ("<invoice><total>62.00</total></invoice>", "application/xml"),
    ],
)
def test_texts_are_read_as_they_stand(pool: ReaderPool, text: str, media_type: str) -> None:
    document = readable(pool, text.encode())
    assert (document.text, document.media_type) == (text, media_type)


def test_xml_entities_are_not_expanded(pool: ReaderPool) -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    text = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lol">{laughs}]><x>&l9;</x>'
    assert readable(pool, text.encode()).text == text


def test_html_by_blocks(pool: ReaderPool) -> None:
    markup = """<!doctype html><html><head><title>Invoice</title><style>p {}</style></head><body>
        <script>var total = 99;</script><h1>INV-2041</h1><p>Total <b>62</b>.00&nbsp;EUR<br>due
        now</p><div style="display: none">secret</div>
        <table><tr><th>Item<th>Qty</tr><tr><td><p>Widget</p></td><td>4</td></tr></table></body></html>"""
    document = readable(pool, markup.encode())
    assert document.media_type == "text/html"
    assert document.text == "Invoice\n\nINV-2041\n\nTotal 62.00\xa0EUR\ndue now\n\nItem\tQty\nWidget\t4\n"


def test_a_layout_table_keeps_its_lines(pool: ReaderPool) -> None:
    markup = "<body><table><tr><td><p>Northwind<br>Main St 1</p><p>INV-2041</p></td></tr></table>"
    assert readable(pool, markup.encode()).text == "Northwind\nMain St 1\n\nINV-2041\n"


def test_pdf_pages(pool: ReaderPool) -> None:
    document = readable(pool, make.pdf("First page, total 62.00", "Second page", ""))
    assert document.media_type == "application/pdf"
    starts = document.page_starts
    assert [document.text[start : start + 5] for start in starts] == ["First", "Secon", ""]
    assert "pages without text: 3" in (document.message or "")


def test_a_pdfs_embedded_file_is_not_its_text(pool: ReaderPool) -> None:
    assert "hush" not in readable(pool, make.pdf("Shown", embedded=b"hush")).text
    assert read(pool, make.pdf("", embedded=b"hush")).category == Category.EMPTY


def test_double_struck_text_is_read_once(pool: ReaderPool) -> None:
    assert "".join(readable(pool, make.double_struck_pdf("FAKEBOLD1177")).text.split()) == "FAKEBOLD1177"


def test_what_was_typed_into_a_form(pool: ReaderPool) -> None:
    document = readable(pool, make.FILLED_FORM)
    assert document.text == "Company name:\ncompany: Northwind Traders\npaid: Yes\n"


def test_a_short_page_is_no_scan(pool: ReaderPool) -> None:
    assert readable(pool, make.pdf("INV-2041")).text == "INV-2041\n"
    assert (
        "Northwind" in readable(pool, make.scanned_pdf("Northwind Traders, INV-2041, total 62.00 EUR")).text
    )


def test_doubled_letters_stay(pool: ReaderPool) -> None:
    assert readable(pool, make.pdf("1122334455 ooff eell aabb")).text.strip() == "1122334455 ooff eell aabb"


def test_word(pool: ReaderPool) -> None:
    data = make.word("Invoice INV-2041", [["Item", "Qty"], ["Widget", "4"]], header="Northwind")
    document = readable(pool, data)
    assert document.text == "Northwind\nInvoice INV-2041\nItem\tQty\nWidget\t4\n"
    assert document.media_type.endswith("wordprocessingml.document")


def test_workbook(pool: ReaderPool) -> None:
    rows: list[list[object]] = [["Item", "Qty", "Day"], ["Widget", 4.0, date(2024, 3, 9)], [None, 12.5, True]]
    document = readable(pool, make.workbook(Lines=rows, hidden=[["secret"]], Sums=[[Decimal("62.10")]]))
    assert document.text == "Lines\nItem\tQty\tDay\nWidget\t4\t2024-03-09\n\t12.5\tTRUE\n\nSums\n62.1\n\n"
    assert [document.text[start:].split("\n")[0] for start in document.page_starts] == ["Lines", "Sums"]
    assert "not read: 1" in (document.message or "")


def test_mail_with_attachments(pool: ReaderPool) -> None:
    inner = make.mail("inner body", ("deep.csv", b"a,b\n1,2\n"))
    message = make.mail("Grüße\n", ("Rechnung 1.pdf", make.pdf("total 62.00")))
    message.add_attachment(inner)
    results = pool.read(message.as_bytes(), "mail.eml")
    mail, invoice, attached, deep = [result.document for result in results]
    assert mail.text.startswith("From: Jürgen <juergen@northwind.example>\nTo: billing")
    assert "Subject: Rechnung für März\n\nGrüße\n" in mail.text
    assert "inner body" not in mail.text
    assert (invoice.parent_id, invoice.text.strip()) == (mail.document_id, "total 62.00")
    assert invoice.uri == "mail.eml#1/Rechnung%201.pdf"
    assert (attached.parent_id, attached.media_type) == (mail.document_id, "message/rfc822")
    assert (deep.parent_id, deep.text) == (attached.document_id, "a,b\n1,2\n")


def test_an_inline_mail_is_part_of_the_text(pool: ReaderPool) -> None:
    message = make.mail("see below")
    message.add_attachment(make.mail("the forwarded body", ("a.csv", b"a,b\n1,2\n")), disposition="inline")
    results = pool.read(message.as_bytes(), "mail.eml")
    assert "the forwarded body" in results[0].document.text
    assert [result.document.parent_id for result in results[1:]] == [results[0].document.document_id]


def test_of_alternatives_one_is_read(pool: ReaderPool) -> None:
    message = make.mail("plain words")
    message.add_alternative("<p>html words</p>", subtype="html")
    text = readable(pool, message.as_bytes()).text
    assert "plain words" in text
    assert "html words" not in text


@pytest.mark.parametrize(
    ("data", "category", "advice"),
    [
        (b"", Category.EMPTY, "empty"),
        (b" \r\n\t\n", Category.EMPTY, "white space"),
        ("\u2003 \n".encode("utf-16"), Category.EMPTY, "no text"),
        (b"<html><body><script>x</script></body></html>", Category.EMPTY, "no text"),
        (bytes(range(256)) * 8, Category.UNSUPPORTED_TYPE, "Assay reads"),
        (b"{\\rtf1 Invoice}", Category.UNSUPPORTED_TYPE, ".docx"),
        (
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0",
            Category.UNSUPPORTED_TYPE,
            "image/png",
        ),
        (b"%PDF-1.7\nnothing more", Category.UNREADABLE, "print it"),
        (make.pdf("x")[:300], Category.UNREADABLE, "print it"),
        (make.word("x", [["y"]])[:-300], Category.UNREADABLE, "damaged"),
        (make.pdf("secret", password="pw"), Category.ENCRYPTED, "without one"),
        (make.drawn_pdf(), Category.NO_TEXT_LAYER, "OCR"),
        (make.scanned_pdf("CamScanner p. 1"), Category.NO_TEXT_LAYER, "OCR"),
        (make.pdf(""), Category.EMPTY, "blank"),
        (make.workbook(Empty=[]), Category.EMPTY, "no text"),
    ],
)
def test_what_cannot_be_read_says_why_and_what_to_do(
    pool: ReaderPool, data: bytes, category: Category, advice: str
) -> None:
    document = read(pool, data)
    assert (document.category, document.text) == (category, "")
    assert advice in (document.message or "")


def test_a_bomb_is_not_unpacked(pool: ReaderPool) -> None:
    document = read(pool, make.bomb(make.workbook(A=[[1]]), "xl/worksheets/sheet1.xml"))
    assert (document.category, "split" in (document.message or "")) == (Category.TOO_LARGE, True)


def test_a_bomb_below_the_declared_limit_meets_the_memory_limit() -> None:
    data = make.bomb(make.word("x", [["y"]]), "word/document.xml", 100 << 20)
    with ReaderPool(workers=1, memory_bytes=200 << 20) as pool:
        document = read(pool, data)
        assert (document.category, "memory" in (document.message or "")) == (Category.TOO_LARGE, True)
        assert readable(pool, b"next").text == "next"


def test_a_pdf_bomb_is_too_large_whatever_this_process_weighs() -> None:
    ballast = b"x" * (400 << 20)  # the kernel adds a parent's memory to its child's peak
    with ReaderPool(workers=1, memory_bytes=200 << 20) as pool:
        document = read(pool, make.pdf_bomb())
        assert (document.category, document.media_type) == (Category.TOO_LARGE, "application/pdf")
    assert len(ballast) == 400 << 20


def test_markup_that_takes_too_long_is_given_up() -> None:
    with ReaderPool(workers=1, timeout_s=1.0) as pool:
        document = read(pool, b"<html><body>" + b"<div>" * 200_000 + b"deep")
        assert (document.category, document.media_type) == (Category.READER_TIMEOUT, "text/html")


def test_reader_versions_are_plain_text() -> None:
    assert json.loads(json.dumps(READER_VERSIONS)) == READER_VERSIONS
    assert READER_VERSIONS["pdf"].startswith("1 pypdfium2-")

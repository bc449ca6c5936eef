"""Encodings and cleaning."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.readers.text import clean, decode, read_text


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "Müller GmbH, Straße 5, Rechnung über 1.234,56 €"),
        ("cp1252", "café"),
        ("cp1252", "Factura nº 12 – año 2024, importación"),
        ("cp1252", "Prix: 12 £ ± 3 µm"),
        ("cp1252", "Ålesund blåbær Ærø"),
        ("iso8859-15", "Total 15,00 € Café"),
        ("cp1250", "Faktura č. 12, Příjemce: Žižkov, částka"),
        ("iso8859-2", "Należność: Łódź, źródło, zażółć gęślą jaźń"),
        ("cp1251", "Счёт на оплату № 15 от 12 марта"),
        ("koi8-r", "Счёт на оплату от 12 марта"),
        ("cp1253", "Τιμολόγιο σύνολο"),
        ("cp1254", "Şirket ünvanı: İstanbul, ödeme tutarı ğ"),
        ("cp1255", "חשבונית מס"),
        ("cp1256", "فاتورة رقم المبلغ"),
        ("cp850", "Müller Straße Größe"),
        ("cp932", "名前,年齢,住所\n佐藤太郎,30,東京"),
        ("euc_jp", "請求書の合計金額はこちらです"),
        ("iso2022_jp", "請求書 合計"),
        ("gb18030", "发票号码 合计金额"),
        ("big5", "發票號碼 合計金額"),
        ("cp949", "세금계산서 합계 금액"),
        ("utf-8-sig", "Rechnung 12 €"),
        ("utf-16", "Rechnung 12 €"),
        ("utf-16-le", "Invoice 12\nTotal"),
        ("utf-16-be", "Invoice 12\nTotal"),
        ("utf-32-le", "Invoice 12\nTotal"),
    ],
)
def test_a_short_text_in_any_encoding(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) * 8,
        b"\x7fELF\x02\x01\x01" + bytes(64),
        "INVOICE 12   TOTAL 62.00  EUR NORTHWIND".encode("cp037"),
        b"text with\0zeros \xff in it",
    ],
)
def test_what_is_no_text(data: bytes) -> None:
    assert decode(data) is None


def test_a_damaged_place_leaves_utf_8_as_it_is() -> None:
    data = "Größe, Käufer, Straße, Fußnote, 12 € über Nürnberg; Öl, Müll".encode()
    assert decode(data + b"\xff") == data.decode() + "\ufffd"


@pytest.mark.parametrize(
    "head", ['<html><meta charset="cp1251"><p>', '<?xml version="1.0" encoding="cp1251"?><p>']
)
def test_markup_says_its_encoding(head: str) -> None:
    text = f"{head}щюэ</p>"
    assert decode(text.encode("cp1251")) == text


def test_line_ends_and_control_characters() -> None:
    assert clean("\ufeffa\r\nb\rc\u2028d\x85e\x00f\x07g\ud800h\ti") == "a\nb\nc\nd\nef g\ufffdh\ti"


def test_form_feeds_divide_pages() -> None:
    reading = read_text("one\r\n\ftwo\ftail\f")
    assert [reading.text[start : start + 3] for start in reading.page_starts] == ["one", "two", "tai"]


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_clean_text_can_be_stored_anywhere(text: str) -> None:
    cleaned = clean(text)
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned
    assert "\0" not in cleaned
    assert "\r" not in cleaned
    assert clean(cleaned) == cleaned


@given(st.text(st.characters(codec="utf-8", min_codepoint=32), min_size=1))
def test_utf_8_is_read_as_it_stands(text: str) -> None:
    decoded = decode(text.encode())
    assert decoded is None or decoded == text.removeprefix("\ufeff") or text.startswith("\ufeff")
    assert decode(codecs.BOM_UTF8 + text.encode()) == text


@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_not_but_never_an_error(data: bytes) -> None:
    text = decode(data)
    assert text is None or "\0" not in clean(text)

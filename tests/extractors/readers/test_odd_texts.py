"""Texts that are hard to know for what they are."""

from __future__ import annotations

import pytest

from extractors.readers import media
from extractors.readers.dispatch import read
from extractors.readers.text import decode
from schemas.errors import ReadError
from schemas.records import Category

RUSSIAN = "Счёт № 17 от 9 марта 2024 г. Общество «Ромашка», итого 1 234,56 руб.\n"
GERMAN = "Rechnung Nr. 17 für Müller & Söhne, Straße 5, Betrag 1.234,56, fällig am 9. März 2024\n"
THAI = "ใบแจ้งหนี้ 17 บริษัท สยาม จำกัด ยอดรวม\n"
POLISH = "Faktura nr 17, Spółka Żółta z o.o., zapłata do 9 marca, kwota brutto łącznie\n"
LITHUANIAN = "Sąskaita faktūra 17, Žaliasis ąžuolas, mokėti iki 9 kovo, suma iš viso žodžiais\n"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp866", RUSSIAN.replace("«", '"').replace("»", '"')),
        ("iso8859-5", RUSSIAN.replace("«", '"').replace("»", '"')),
        ("mac_cyrillic", RUSSIAN),
        ("cp1251", RUSSIAN),
        ("koi8-r", RUSSIAN.replace("«", '"').replace("»", '"').replace("№", "N")),
        ("utf-16-le", RUSSIAN),
        ("utf-16-be", "請求書番号 17 株式会社山田商店 合計 1,234円 2024年3月9日\n"),
        ("mac_roman", GERMAN),
        ("cp1252", GERMAN),
        ("cp874", THAI),
        ("cp852", POLISH),
        ("cp1250", POLISH),
        ("cp1257", LITHUANIAN),
    ],
)
def test_an_encoding_is_told_by_its_letters(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_a_text_that_names_the_format_is_no_pdf() -> None:
    kinds: list[str] = []
    reading = read(b"Send it as %PDF-1.7 please.\nTotal 5.00\n", lambda kind, _: kinds.append(kind))
    assert "Total 5.00" in reading.text
    assert kinds[-1] == media.TEXT


@pytest.mark.parametrize("text", ["\u200b\u200b\ufeff\n", "\u00a0 \u00ad\n", "\u2060\u200e"])
def test_a_text_that_shows_nothing_is_empty(text: str) -> None:
    with pytest.raises(ReadError) as error:
        read(text.encode(), lambda *_: None)
    assert error.value.category is Category.EMPTY

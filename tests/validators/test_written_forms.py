"""Whatever Babel writes, in any locale, is read back: dates, amounts, and text broken over lines."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from babel import Locale, localedata
from babel.dates import format_date
from babel.numbers import format_decimal
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas.contract import Kind, Leaf
from schemas.records import Match
from validators.grounding.check import check
from validators.grounding.index import SourceIndex

LOCALES = sorted(localedata.locale_identifiers())
# Before 1970 a year of two digits is read a century later.

DAYS = st.dates(date(1970, 1, 1), date(2068, 12, 31))
AMOUNTS = st.decimals(Decimal("0.01"), Decimal("99999999.99"), places=2)
WORDS = st.lists(st.text("abcdefghijklmnopqrstuvwxyzäöüßéñç", min_size=2, max_size=9), min_size=2, max_size=8)
BREAKS = st.sampled_from([" ", "\n", "  \n ", "\u00a0", " \u200b", "\r\n", "\t"])


def ground(value: object, kind: Kind, text: str, locale: str | None = None) -> tuple[Match, str]:
    """How a value grounds, and the stretch of the original text that its span cuts out."""
    (field,) = check([Leaf("/value", value, kind, "")], SourceIndex(text), locale=locale).fields
    return field.match, text[field.span.start : field.span.end] if field.span else ""


@settings(max_examples=300)
@given(DAYS, st.sampled_from(LOCALES), st.sampled_from(["short", "medium", "long", "full"]))
@example(date(2024, 3, 9), "lv", "full")
@example(date(2024, 3, 9), "eu", "long")
@example(date(2024, 10, 31), "hr", "long")
@example(date(2024, 3, 9), "th", "full")
@example(date(2024, 3, 9), "vi", "full")
def test_any_date_in_any_locale(day: date, locale: str, style: str) -> None:
    written = format_date(day, style, locale)
    match, cut = ground(day, Kind.DATE, f"№ 7 | {written} |", locale)
    assert match in (Match.NORMALISED, Match.VERBATIM), written
    assert str(day.day) in cut
    assert str(day.year)[2:] in cut
    assert cut in written + "|"


@settings(max_examples=200)
@given(AMOUNTS, st.sampled_from(LOCALES))
@example(Decimal("1234567.89"), "en_IN")
@example(Decimal("1234567.89"), "de_CH")
@example(Decimal("1234567.89"), "fr")
@example(Decimal("1234.50"), "ar_EG")
def test_any_amount_in_any_locale(amount: Decimal, locale: str) -> None:
    written = format_decimal(
        amount, "#,##0.00" if "," in str(Locale.parse(locale).decimal_formats[None]) else None, locale
    )
    match, cut = ground(amount, Kind.NUMBER, f"= {written} ;", locale)
    assert match in (Match.NORMALISED, Match.VERBATIM), written
    assert cut == written


@settings(max_examples=200)
@given(WORDS, st.data())
def test_any_text_broken_over_lines(words: list[str], data: st.DataObject) -> None:
    written = words[0]
    for word in words[1:]:
        written += data.draw(BREAKS) + word
    match, cut = ground(" ".join(words), Kind.TEXT, f"1) {written}; 2)")
    assert match in (Match.NORMALISED, Match.VERBATIM)
    assert cut == written


@settings(max_examples=300)
@given(st.text("ABCDEFGH", min_size=4, max_size=12), st.integers(0, 10**6), st.integers(0, 9), st.data())
def test_a_digit_that_differs_is_never_accepted(
    word: str, number: int, digit: int, data: st.DataObject
) -> None:
    true = f"{word} {number} {word[::-1]} LANE"
    place = data.draw(st.sampled_from([at for at, char in enumerate(true) if char.isdecimal()]))
    wrong = true[:place] + str(digit) + true[place + 1 :]
    if wrong != true:
        assert ground(wrong, Kind.TEXT, f"to {true}, today")[0] is Match.ABSENT

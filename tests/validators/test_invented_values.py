"""Believable inventions that do not ground, and true values in unusual writing that do."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from schemas.contract import Kind, Leaf
from schemas.records import Match
from validators.grounding.check import check, look_up
from validators.grounding.index import SourceIndex
from validators.grounding.lookup import Lookup

D = Decimal
GROUNDED = {Match.VERBATIM, Match.NORMALISED, Match.FUZZY}
TWO_COLUMNS = (
    "Acme GmbH                     Beta AG\n"
    "Hauptstr. 5                   Ringweg 77\n"
    "80331 München                 10115 Berlin\n"
)


def found(value: object, kind: Kind, text: str, *, evidence: bool = False) -> Lookup:
    return look_up(Leaf("/value", value, kind, "", evidence=evidence), SourceIndex(text))


@pytest.mark.parametrize(
    ("value", "text", "whose"),
    [
        (D("5"), "Date 2018-06-05", "a date"),
        (D("2018"), "on June 5, 2018", "a date"),
        (D("18"), "27/11/2016 18:20", "a time"),
        (D("2041"), "INV-2041", "a code"),
        (D("45"), "No. 2018/45", "a code"),
        (D("47"), "plot A47B", "a code"),
        (D("80331"), "D-80331 München", "a code"),
        (D("7987"), "Tel 03-7987 1234", "a telephone number"),
        (D("1234"), "Tel 03-7987 1234", "a telephone number"),
        (D("9"), "1 009", "a longer number"),
        (D("1"), "1½ cups", "a longer number"),
    ],
)
def test_an_amount_is_no_part_of_something_else(value: Decimal, text: str, whose: str) -> None:
    lookup = found(value, Kind.NUMBER, text)
    assert lookup.match is Match.ABSENT
    assert whose in (lookup.note or "")


def test_a_whole_number_may_be_a_dates_year_with_a_warning() -> None:
    lookup = found(2018, Kind.NUMBER, "Date 2018-06-05")
    assert lookup.match in GROUNDED
    assert "a date" in (lookup.warning or "")


@pytest.mark.parametrize(
    ("value", "text", "written"),
    [
        (D("53.90"), "RM53.90", "53.90"),
        (D("4"), "4-pack x4", "4"),
        (D("10"), "10-20 days", "10"),
        (D("4"), "Qty4 at", "4"),
        (D("-50"), "EUR -50.00", "50.00"),
        (D("50"), "Fr. 50.--", "50"),
        (D("0.5"), "at .50 each", "50"),
        (D("1.5"), "1½ cups", "1½"),
        (D("50"), "50.00¹ see note", "50.00"),
        (D("50"), "①50.00", "50.00"),
        (18, "a term of eighteen months", "eighteen"),
        (D("125000"), "one hundred twenty-five thousand dollars", "one hundred twenty-five thousand"),
        (D("3"), "three (3) copies", "3"),
        (D("1500000"), "sales of 1.5 million", "1.5"),
        (D("2300005"), "two million three hundred thousand and five", None),
    ],
)
def test_an_amount_in_unusual_writing(value: Decimal | int, text: str, written: str | None) -> None:
    lookup = found(value, Kind.NUMBER, text)
    assert lookup.match in GROUNDED
    assert text[slice(lookup.spans[0].start, lookup.spans[0].end)] == (written or text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (D("50.001"), "50.00¹"),
        (D("150"), "①50.00"),
        (D("102"), "10²"),
        (D("50"), "at .50"),
        (D("3"), "THREE STOOGES CAFE"),
        (D("3"), "threefold"),
    ],
)
def test_amounts_that_do_not_stand_there(value: Decimal, text: str) -> None:
    assert found(value, Kind.NUMBER, text).match is Match.ABSENT


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Acme GmbH Ringweg 77 10115 Berlin", TWO_COLUMNS),
        ("Acme GmbH, Ringweg 77, 80331 München", TWO_COLUMNS),
        ("Acme GmbH Hauptstr. 5 10115 Berlin", TWO_COLUMNS),
        ("4A Jalan Kenari", "4B Jalan Kenari"),
        ("Block A, Jalan Kenari 3", "Block B, Jalan Kenari 3"),
        ("Taman SS 2, Jalan Kenari", "Taman SA 2, Jalan Kenari"),
        ("NO 12 JALAN SAGU", "NO 1 2 JALAN SAGU"),
        ("LOT 12 JALAN SAGU", "LOT 1/2 JALAN SAGU"),
        ("LOT 3, JAYA PELABUR 23/1", "LOT 3, JALAN PELABUR 23/1"),
        ("5 years", "2.5 years"),
        ("two (3) years", "2 years"),
        ("Table 3", "see Table 3.1"),
    ],
)
def test_texts_that_do_not_stand_there(value: str, text: str) -> None:
    assert found(value, Kind.TEXT, text).match is Match.ABSENT


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Acme GmbH Hauptstr. 5 80331 München", TWO_COLUMNS),
        ("Beta AG Ringweg 77 10115 Berlin", TWO_COLUMNS),
        ("two (2) years", "a period of 2 years"),
        ("0379871234", "Tel: 03-7987 1234"),
        ("+49891234567", "Tel +49 89 123 45 67"),
        ("İstanbul", "istanbul"),
        ("Lodz, Zlota 5", "Łódź, Złota 5"),
        ("NO 8, JALAN 7/118B, DESA TUN", "NO 8, JALAN 7/1188, DESA TUN"),
        ("52000 KL, BANDAR SRI", "52000 XL, BANDAR SRI"),
    ],
)
def test_texts_in_another_writing(value: str, text: str) -> None:
    assert found(value, Kind.TEXT, text).match in GROUNDED


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2041", "qty 20 41 pcs"),
        ("2041", "qty 20\n41 pcs"),
        ("2041", "20.41"),
        ("12345678", "Menge 12  345  678"),
        ("AND-2041", "no. 2041"),
        ("INV-2041", "INV-2O41"),
    ],
)
def test_identifiers_that_do_not_stand_there(value: str, text: str) -> None:
    assert found(value, Kind.IDENTIFIER, text).match is Match.ABSENT


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("DE89370400440532013000", "IBAN: DE89 3704 0044\n 0532 0130 00"),
        ("DE 123 456 789", "VAT DE123456789"),
        ("20-41", "no. 2041"),
        ("INV-2041", "inv 2041"),
    ],
)
def test_identifiers_with_other_separators(value: str, text: str) -> None:
    assert found(value, Kind.IDENTIFIER, text).match in GROUNDED


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("9,999", "total 19,999"),
        ("250.00", "1,250.00"),
        ("62.0", "Total 62.00 EUR"),
        ("art", "the party"),
        ("rty of the first part", "the party of the first part"),
    ],
)
def test_a_quotation_cuts_no_number_and_begins_no_word_late(value: str, text: str) -> None:
    assert found(value, Kind.TEXT, text, evidence=True).match is Match.ABSENT


def test_a_quotation_may_be_cut_at_its_bound() -> None:
    assert found("the party of the fi", Kind.TEXT, "the party of the first", evidence=True).match in GROUNDED


MARCH_9 = date(2024, 3, 9)


@pytest.mark.parametrize(
    "text",
    [
        "March 8 - 9, 2024", "March 9 - April 3, 2024", "9 March to 3 April 2024", "from 9 to 15 March 2024",
        "9.–15. März 2024", "09.03. - 15.04.2024", "9. März bis 3. April 2024", "9.III.2024", "9 III 2024",
        "令和6年3月9日", "民國113年3月9日", "二〇二四年三月九日", "9 มีนาคม 2567", "09/03/24 and 25/12/24",
        "9/3-15/3/2024 and 31/12/2024",
    ],
)  # fmt: skip
def test_dates_in_unusual_writing(text: str) -> None:
    assert found(MARCH_9, Kind.DATE, text).match in GROUNDED


def test_the_first_day_of_a_range_over_new_year_is_in_the_year_before() -> None:
    text = "December 28 - January 3, 2025"
    assert found(date(2024, 12, 28), Kind.DATE, text).match in GROUNDED
    assert found(date(2025, 12, 28), Kind.DATE, text).match is Match.ABSENT


@pytest.mark.parametrize("text", ["9 Mars bars 2024", "9 Marchant Street, 2024", "March 2024, page 9"])
def test_dates_that_do_not_stand_there(text: str) -> None:
    assert found(MARCH_9, Kind.DATE, text).match is Match.ABSENT


def test_a_swedish_day_before_the_month_where_the_year_comes_last() -> None:
    (field,) = check([Leaf("/v", MARCH_9, Kind.DATE, "")], SourceIndex("9/3 2024"), locale="sv_SE").fields
    assert field.match in GROUNDED


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("N0 290, JALAN AIR PANAS", "NO 290, JALAN AIR PANAS"),
        ("NO 290, JALAN AIR PANAS", "N0 290, JALAN AIR PANAS"),
        ("12, JALAN TAMPO1 7/4, KAWASAN", "12, JALAN TAMPOI 7/4, KAWASAN"),
        ("40170 5HAH ALAM, SELANGOR", "40170 SHAH ALAM, SELANGOR"),
    ],
)
def test_a_letter_read_for_a_digit_beside_a_number_is_bridged(value: str, text: str) -> None:
    assert found(value, Kind.TEXT, text).match is Match.FUZZY


@pytest.mark.parametrize(
    ("value", "text"), [("9556939040116", "9556939040116 MILK 2.00"), ("123", "Ref 00123")]
)
def test_long_runs_of_digits_and_those_that_begin_with_zeros_are_no_amounts(value: str, text: str) -> None:
    assert found(D(value), Kind.NUMBER, text).match is Match.ABSENT

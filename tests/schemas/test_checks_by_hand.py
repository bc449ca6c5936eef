"""Consistency helpers against values worked out by hand."""

from __future__ import annotations

from decimal import Decimal

import pytest

from schemas import checks

D = Decimal


def test_a_currency_in_small_letters_has_its_own_minor_unit() -> None:
    assert not list(checks.sums_to([D("100.4"), D("100.4")], D(200), "/t", "jpy"))
    assert checks.minor_unit("clf") == D("0.0001")


def test_long_amounts_are_added_exactly() -> None:
    assert not list(checks.sums_to([D("9" * 40), D(1)], D("1" + "0" * 40), "/t"))
    assert list(checks.sums_to([D("9" * 40), D(1)], D("1" + "0" * 39 + "1"), "/t"))


@pytest.mark.parametrize(
    ("total", "prepaid", "due"),
    [("100", "30", "70"), ("100", "-30", "70"), ("-100", "30", "-70"), ("5", None, "5")],
)
def test_prepayments_of_either_sign(total: str, prepaid: str | None, due: str) -> None:
    assert not list(checks.is_due(D(total), D(prepaid) if prepaid else None, D(due), "/due"))
    assert list(checks.is_due(D(total), D(prepaid) if prepaid else None, D(due) + 1, "/due"))


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        ("GB980780684", True),
        ("GB980780685", False),
        ("CHE-107.787.577 MWST", True),
        ("DE 136 695 976", True),
        ("NO 995 525 828 MVA", True),
        ("DE136695977", False),
        ("136695976", False),
        ("", False),
        ("XX1", False),
    ],
)
def test_vat_ids_of_the_union_and_of_others(value: str, valid: bool) -> None:
    assert bool(list(checks.valid_vat_id(value, "/vat"))) is not valid


def test_an_empty_text_or_list_is_not_given() -> None:
    assert list(checks.at_least_one({"/a": "", "/b": []}))
    assert list(checks.all_or_none({"/a": "x", "/b": ""}))
    assert not list(checks.at_least_one({"/a": 0, "/b": None}))

"""Helpers of consistency rules: what they find, and what they leave alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

import pytest

from schemas import checks
from schemas.records import Category, Finding

D = Decimal


def expected(findings: Iterator[Finding]) -> list[str | None]:
    return [finding.expected for finding in findings]


@pytest.mark.parametrize(
    ("terms", "total", "currency", "rule", "wanted"),
    [
        (["50.00", "12.00"], "62", "EUR", checks.PRINTED, []),
        (["50.00", "12.00"], "50.00", "EUR", checks.PRINTED, ["62.00"]),
        (["0.005", "0.005"], "0.02", "EUR", checks.PRINTED, []),
        (["0.005", "0.005"], "0.01", "EUR", checks.Rule(each_term=False), []),
        (["0.005", "0.005"], "0.00", "EUR", checks.Rule(checks.Rounding.HALF_EVEN), []),
        (["100.4", "100.4"], "200", "JPY", checks.PRINTED, []),
        (["1.001", "1.001"], "2.002", "KWD", checks.PRINTED, []),
        ([], "5", "EUR", checks.PRINTED, []),
    ],
)
def test_sum_follows_the_rounding_rule(
    terms: list[str], total: str, currency: str, rule: checks.Rule, wanted: list[str]
) -> None:
    assert expected(checks.sums_to([D(term) for term in terms], D(total), "/t", currency, rule)) == wanted


def test_a_null_among_the_terms_says_nothing() -> None:
    assert not list(checks.sums_to([D(1), None], D(5), "/t"))


def test_a_line_is_quantity_times_price_as_far_as_the_price_is_printed() -> None:
    assert not list(checks.multiplies_to(D(3), D("3.3333"), D("10.00"), "/a", "EUR"))
    assert not list(checks.multiplies_to(D(3), D("3.33"), D("10.00"), "/a", "EUR"))
    assert expected(checks.multiplies_to(D(3), D("3.33"), D("11.00"), "/a", "EUR")) == ["9.99"]


def test_tax_by_rate() -> None:
    assert not list(checks.taxed(D("198.00"), D(19), D("37.62"), "/t", "EUR"))
    assert expected(checks.taxed(D("198.00"), D(19), D("39.00"), "/t", "EUR")) == ["37.62"]


def test_due_is_total_less_prepaid() -> None:
    assert not list(checks.is_due(D("197.65"), D("50.00"), D("147.65"), "/due"))
    assert expected(checks.is_due(D("197.65"), D("50.00"), D("197.65"), "/due")) == ["147.65"]


def test_dates_in_order() -> None:
    assert not list(checks.in_order(date(2024, 3, 9), date(2024, 3, 9), "/due_date"))
    (finding,) = checks.in_order(date(2024, 3, 9), date(2024, 3, 8), "/due_date")
    assert (finding.category, finding.pointer) == (Category.INCONSISTENT, "/due_date")


def test_signs_of_a_credit_note_do_not_mix() -> None:
    assert not list(checks.same_sign({"/net": D(-1), "/tax": D(0), "/total": D(-2)}))
    (finding,) = checks.same_sign({"/net": D(-1), "/tax": D(2), "/total": D(-2)})
    assert finding.pointer == "/tax"


def test_check_digits() -> None:
    assert not list(checks.valid_iban("DE91 1000 0000 0123 4567 89", "/iban"))
    assert list(checks.valid_iban("DE91 1000 0000 0123 4567 88", "/iban"))
    assert not list(checks.valid_vat_id("DE136695976", "/vat"))
    assert list(checks.valid_vat_id("DE136695977", "/vat"))
    assert not list(checks.valid_gtin("4012345001235", "/gtin"))
    assert list(checks.valid_gtin("4012345001236", "/gtin"))
    assert not list(checks.valid_iban(None, "/iban"))


def test_presence() -> None:
    assert list(checks.at_least_one({"/a": None, "/b": None}))
    assert not list(checks.at_least_one({"/a": None, "/b": 1}))
    assert [finding.pointer for finding in checks.all_or_none({"/a": 1, "/b": None})] == ["/b"]
    assert not list(checks.all_or_none({"/a": None, "/b": None}))

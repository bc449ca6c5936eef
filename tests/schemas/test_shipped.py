"""What the shipped versions' own rules accept and what they object to."""

from __future__ import annotations

import copy
import operator
from decimal import Decimal
from functools import reduce
from typing import Any

import pytest

from schemas import arithmetic
from schemas.contract import leaves
from schemas.records import Severity
from schemas.registry import SHIPPED


def findings(ref: str, changes: dict[str, Any]) -> list[tuple[str, str, Severity]]:
    """Rule, pointer and severity of what is said of the example with values put in at pointers."""
    shipped = SHIPPED[ref].example
    assert shipped is not None
    answer: Any = copy.deepcopy(dict(shipped[1]))
    for pointer, value in changes.items():
        *path, last = [int(step) if step.isdigit() else step for step in pointer.split("/")[1:]]
        place: Any = reduce(operator.getitem, path, answer)
        place[last] = value
    found = SHIPPED[ref].model_validate(answer).findings()
    return [(finding.rule, finding.pointer, finding.severity) for finding in found]


E, W = Severity.ERROR, Severity.WARNING
BROKEN: list[tuple[str, dict[str, Any], list[tuple[str, str, Severity]]]] = [
    ("receipt@1", {"/total": "-0.01"}, [("total_is_not_negative", "/total", E)]),
    ("invoice@1", {"/total": "72.91"}, []),
    ("invoice@1", {"/total": "72.93"}, [("lines_sum_to_total", "/total", E)]),
    ("invoice@1", {"/tax": None}, [("lines_sum_to_total", "/total", E)]),
    ("invoice@1", {"/tax": None, "/total": "60.75"}, []),
    ("invoice@1", {"/total": None}, []),
    ("invoice@1", {"/lines/1/amount": None}, []),
    ("invoice@1", {"/lines": []}, []),
    ("invoice@1", {"/lines/0/quantity": "4"}, [("amount_is_quantity_times_price", "/lines/0/amount", E)]),
    ("invoice@2", {"/lines/0/quantity": "3"}, [("total_is_quantity_times_price", "/lines/0/line_total", W)]),
    ("invoice@2", {"/lines_total": "375.6"}, [("lines_sum_to_lines_total", "/lines_total", E)]),
    ("invoice@2", {"/lines_total": None, "/net_total": "375.6", "/tax_total": None}, [
        ("lines_sum_to_lines_total", "/net_total", W),
    ]),
    ("invoice@2", {"/lines_total": "304.15", "/net_total": None}, []),  # lines printed with tax
    ("invoice@2", {"/grand_total": "446.86"}, []),
    ("invoice@2", {"/tax_total": "71.53"}, [("net_and_tax_make_the_grand_total", "/grand_total", E)]),
    ("invoice@2", {"/prepaid": "-200.00"}, []),
    ("invoice@2", {"/due": "446.85"}, [("due_is_what_is_not_prepaid", "/due", E)]),
    ("invoice@2", {"/due": "400.00", "/prepaid": None}, [("due_is_what_is_not_prepaid", "/due", W)]),
    ("invoice@2", {"/due_date": "2015-11-18"}, [("due_date_is_not_before_issue", "/due_date", E)]),
    ("invoice@2", {"/due_date": "2015-11-19", "/seller": None}, []),
    ("nda@1", {"/parties": ["Ann Lee", "ANN LEE."]}, [("parties_are_distinct", "/parties/1", E)]),
    ("nda@1", {"/parties": ["Calder Optics, Inc."]}, [("has_two_parties", "/parties", W)]),
    ("nda@1", {"/parties": []}, []),
    ("review@1", {"/score": 3}, []),
    ("review@1", {"/score": 4}, [("score_fits_label", "/score", E)]),
    ("review@1", {"/label": None}, []),
]  # fmt: skip


@pytest.mark.parametrize(("ref", "changes", "expected"), BROKEN)
def test_rules(ref: str, changes: dict[str, Any], expected: list[tuple[str, str, Severity]]) -> None:
    assert findings(ref, changes) == expected


CREDIT = {
    "/document_type": "credit note",
    "/lines": [{"name": "Geländer", "quantity": "-2", "unit_price": "140.00", "line_total": "-280.00"}],
    "/lines_total": "-280.00",
    "/net_total": "-280.00",
    "/tax_total": "-53.20",
    "/grand_total": "-333.20",
    "/prepaid": None,
}


@pytest.mark.parametrize("due", ["-333.20", "0.00", None])
def test_a_credit_note_with_negative_totals_is_consistent(due: str | None) -> None:
    assert findings("invoice@2", {**CREDIT, "/due": due}) == []


@pytest.mark.parametrize("ref", sorted(SHIPPED))
def test_examples_are_consistent_and_stand_in_their_own_documents(ref: str) -> None:
    shipped = SHIPPED[ref].example
    assert shipped is not None
    answer = SHIPPED[ref].model_validate(dict(shipped[1]))
    assert answer.findings() == []
    for leaf in leaves(answer):
        if isinstance(leaf.value, str) and not leaf.derived and not leaf.synonyms and leaf.pointer != "/term":
            assert " ".join(leaf.value.split()) in " ".join(shipped[0].split()), leaf.pointer


@pytest.mark.parametrize(
    ("amount", "quantity", "price", "is_product"),
    [
        ("50.00", "4", "12.50", True),
        ("50.0", "4", "12.5", True),
        ("55.46", "20", "2.77", True),  # 2.773 printed as 2.77
        ("10.00", "3", "3.3333", True),
        ("50.05", "4", "12.50", False),
        ("62.00", "4", "12.50", False),
        ("-50.00", "-4", "12.50", True),
        ("50.00", "-4", "12.50", False),
        ("0.00", "0", "12.50", True),
    ],
)
def test_products_within_the_rounding_of_print(
    amount: str, quantity: str, price: str, is_product: bool
) -> None:
    assert arithmetic.is_product(Decimal(amount), Decimal(quantity), Decimal(price)) is is_product


def test_a_sum_with_an_unknown_part_is_unknown() -> None:
    assert arithmetic.total([Decimal("0.1"), Decimal("0.2")]) == Decimal("0.3")
    assert arithmetic.total([Decimal(1), None]) is None
    assert arithmetic.total([]) is None

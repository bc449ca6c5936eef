"""The labelled sets beside the repository: gold is right against itself, and wrong once it is changed.

Skipped where the sets are not there.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from babel.numbers import format_currency

from flows.labels import Labels, files, match, read_labels, write_texts
from flows.labels.names import adapted, dotted
from schemas.contract import ExtractionSchema, Money, Reasoning, Row, Text
from schemas.invoice.v2 import Invoice
from schemas.marks import Kind
from schemas.nda.v1 import NonDisclosureAgreement
from schemas.receipt.v1 import Receipt
from schemas.review.v1 import Review
from schemas.shape import Array, Node, Object, Scalar
from validators.comparison.labels import unknown_fields
from validators.comparison.readings import AnyOf
from validators.correctness import Outcome, compare, exactly_right

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the labelled sets are not there")


class VendorLine(Row):
    """A line."""

    name: Text | None
    price_unit: Money | None
    qty: Money | None


class VendorBill(ExtractionSchema):
    """A vendor's bill."""

    reasoning: Reasoning
    issuer: Text | None
    amount: Money | None
    date: dt.date | None
    invoice_number: Text | None
    lines: list[VendorLine]


class Athlete(Row):
    """Who swam."""

    athlete: Text | None
    country: Text | None
    year_birth: int | None


class Result(Row):
    """One place."""

    rank: int | None
    athlete_details: Athlete | None
    time: Text | None


class AgeGroup(Row):
    """Swimmers of five years."""

    age_group: Text | None
    results: list[Result]


class Event(Row):
    """One race."""

    age_groups: list[AgeGroup]


class Metric(Row):
    """One figure."""

    data_period: Text | None
    segment_name: Text | None
    scale: int | None
    value: Money | None


class Income(Row):
    """Three tables of many."""

    revenue: list[Metric]
    gross_profit: list[Metric]
    operating_income: list[Metric]


class LongLists(ExtractionSchema):
    """A quarterly report, or the results of a championship."""

    reasoning: Reasoning
    championship: Text | None
    events: list[Event]
    income_statement: Income | None


@dataclass(frozen=True)
class Gold:
    """A set, its schema, and what its fields are called there."""

    name: str
    schema: type[ExtractionSchema]
    rows: int
    rename: dict[str, str] = field(default_factory=dict)

    def labels(self) -> Labels:
        """The set as read, without the fields that the schema has no place for."""
        file = files.find(SHARED / self.name)
        raw = [
            adapted(row["fields"], self.rename, ()) for _, row in files.rows(file) if isinstance(row, dict)
        ]
        lacking = {dotted(pointer) for one in raw for pointer in unknown_fields(self.schema, one)}
        ours = {new: old for old, new in self.rename.items()}
        without = {".".join([ours.get(name.split(".")[0], name.split(".")[0]), *name.split(".")[1:]])
                   for name in lacking}  # fmt: skip
        return read_labels(SHARED / self.name, self.schema, rename=self.rename, without=without)


EU = {"line_items": "lines", "line_total": "lines_total", "tax_basis": "net_total", "due_payable": "due"}
SETS = [
    Gold("receipts", Receipt, 428),
    Gold("reviews", Review, 400, {"sentiment": "label"}),
    Gold("nda", NonDisclosureAgreement, 80, {"party": "parties"}),
    Gold("invoices_eu", Invoice, 45, EU),
    Gold("invoices_vendor", VendorBill, 11),
    Gold("long_lists", LongLists, 5),
]
sets = pytest.mark.parametrize("gold", SETS, ids=lambda gold: gold.name)


def answer(node: Node, label: Any) -> Any:
    """A label as the JSON that a perfect model would give; what it does not say is null or empty."""
    if isinstance(node, Array):
        return [answer(node.item, item) for item in label or []]
    if isinstance(node, Object):
        if label is None:
            return {name: answer(child, None) for name, child in node.members} if not node.nullable else None
        return {name: answer(child, label.get(name)) for name, child in node.members}
    if node.reasoning:
        return ""
    value = label.values[0] if isinstance(label, AnyOf) else label
    return str(value) if isinstance(value, Decimal | dt.date) else value


@sets
def test_every_row_is_a_label_or_a_counted_problem(gold: Gold) -> None:
    labels = gold.labels()
    lost = {problem.line for problem in labels.problems} - {label.line for label in labels.rows}
    assert len(labels.rows) + len(lost) == gold.rows
    assert len(labels.problems) <= {"long_lists": 99, "invoices_vendor": 3}.get(gold.name, 0)


@sets
def test_labels_find_their_documents(gold: Gold, tmp_path: Path) -> None:
    labels = write_texts(gold.labels(), tmp_path)
    found = sorted({path for root in (SHARED / gold.name / "docs", tmp_path) for path in root.rglob("*.*")})
    matched = match(labels, [(str(number), str(path)) for number, path in enumerate(found)])
    assert len(matched.pairs) == len(labels.rows) == gold.rows
    assert matched.without_document == ()


@sets
def test_gold_is_exactly_right_against_itself(gold: Gold) -> None:
    for label in gold.labels().rows:
        outcomes = compare(gold.schema, answer(Object(gold.schema), label.fields), label.fields)
        assert exactly_right(outcomes), [one for one in outcomes if one.outcome is not Outcome.RIGHT][:3]


def plain(value: Any) -> Any:
    """A label's values as normalised JSON: days as YYYY-MM-DD, amounts as plain numerals."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list | AnyOf):
        return [plain(one) for one in (value.values if isinstance(value, AnyOf) else value)]
    return str(value) if isinstance(value, Decimal | dt.date) else value


def german(value: Any) -> Any:
    """A label's values as a German invoice prints them."""
    if isinstance(value, dict):
        return {name: german(one) for name, one in value.items()}
    if isinstance(value, list):
        return [german(one) for one in value]
    if isinstance(value, dt.date):
        return value.strftime("%d.%m.%Y")
    if isinstance(value, Decimal):
        return format_currency(value, "EUR", "#,##0.00## ¤", locale="de_DE", currency_digits=False)
    return value


def again(gold: Gold, labels: Labels, written: Any, folder: Path, locale: str | None = None) -> Labels:
    """The labels written to a file in another form, and read back."""
    rows = [{"file": label.reference, "fields": written(label.fields)} for label in labels.rows]
    (folder / "labels.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    return read_labels(folder, gold.schema, locale=locale)


@sets
def test_normalised_labels_say_what_the_printed_ones_say(gold: Gold, tmp_path: Path) -> None:
    printed = gold.labels()
    normalised = again(gold, printed, plain, tmp_path)
    assert [label.fields for label in normalised.rows] == [label.fields for label in printed.rows]


@pytest.mark.parametrize("locale", [None, "de_DE"])
def test_normalised_labels_say_what_german_ones_say(locale: str | None, tmp_path: Path) -> None:
    gold = next(gold for gold in SETS if gold.name == "invoices_eu")
    labels = gold.labels()
    found = again(gold, labels, german, tmp_path, locale)
    assert found.ambiguous == 0
    assert [label.fields for label in found.rows] == [label.fields for label in labels.rows]


def places(
    node: Node, value: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Scalar]]:
    """Every value that is not null, with its node."""
    if isinstance(node, Array):
        for index, item in enumerate(value or []):
            yield from places(node.item, item, (*path, index))
    elif isinstance(node, Object):
        for name, child in node.members:
            yield from places(child, None if value is None else value[name], (*path, name))
    elif value is not None and not node.reasoning:
        yield path, node


def changed(node: Scalar, value: Any) -> Any:
    """Another value of the type, as near as a careless model comes: one digit or letter, the next day."""
    if node.choices:
        return next(choice for choice in node.choices if choice != value)
    if node.kind is Kind.DATE:
        return str(dt.date.fromisoformat(value) + dt.timedelta(days=1))
    if isinstance(value, int):
        return value + 1 if value < 9 else value - 1
    at = max((index for index, char in enumerate(value) if char.isalnum()), default=None)
    if at is None:
        return None
    new = str((int(value[at]) + 1) % 10) if value[at].isdecimal() else "z" if value[at] in "qQ" else "q"
    return value[:at] + new + value[at + 1 :]


def put(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    """The answer with one value replaced."""
    if not path:
        return new
    if isinstance(value, list):
        return [put(item, path[1:], new) if index == path[0] else item for index, item in enumerate(value)]
    return {**value, path[0]: put(value[path[0]], path[1:], new)}


@sets
def test_one_changed_value_is_wrong_and_one_left_out_is_missed(gold: Gold) -> None:
    """At most twenty values a document, spread over it."""
    root = Object(gold.schema)
    counted: Counter[tuple[str, Outcome]] = Counter()
    for label in gold.labels().rows:
        whole = answer(root, label.fields)
        found = list(places(root, whole))
        for path, node in found[:: max(1, len(found) // 20)]:
            for kind, new in (("changed", changed(node, _at(whole, path))), ("left out", None)):
                if new is None and (kind == "changed" or not node.nullable):
                    continue
                outcomes = compare(gold.schema, put(whole, path, new), label.fields)
                off = [one.outcome for one in outcomes if one.outcome is not Outcome.RIGHT]
                counted.update((kind, one) for one in off)
                assert off, (label.reference, path, new)
    assert counted["changed", Outcome.UNANSWERED] == 0
    assert counted["changed", Outcome.WRONG] > 0
    assert counted["left out", Outcome.WRONG] == 0
    assert counted["left out", Outcome.MISSED] > 0


def _at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


@sets
def test_everything_that_a_label_says_is_nothing_is_invented_where_it_is_given(gold: Gold) -> None:
    given = {
        "text": "made up",
        "long_text": "made up",
        "identifier": "M1",
        "number": "1",
        "date": "2001-01-01",
    }
    root = Object(gold.schema)
    invented = Counter[str]()
    for label in gold.labels().rows:
        whole = answer(root, label.fields)
        for name, child in root.members:
            if isinstance(child, Scalar) and name in label.fields and label.fields[name] is None:
                new = child.choices[0] if child.choices else given[child.kind.value]
                outcomes = compare(gold.schema, {**whole, name: new}, label.fields)
                (off,) = [one for one in outcomes if one.outcome is not Outcome.RIGHT]
                assert (off.field, off.outcome) == (f"/{name}", Outcome.INVENTED)
                invented[name] += 1
    assert gold.name not in ("nda", "invoices_eu") or invented.total() > 20

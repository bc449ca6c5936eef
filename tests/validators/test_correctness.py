"""Right, wrong, missed and invented are told apart, by the comparison that the field declares."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.contract import (
    ExtractionSchema,
    Identifier,
    Money,
    Quantity,
    Reasoning,
    Row,
    Text,
    field,
)
from schemas.records import Category, Level
from validators.comparison.labels import LabelReader, conventions, unknown_fields
from validators.comparison.readings import AnyOf
from validators.correctness import Outcome, compare, exactly_right, findings, shares

RIGHT, WRONG, MISSED, INVENTED, UNANSWERED = Outcome


class Item(Row):
    """A line."""

    name: Text | None
    count: Quantity | None
    price: Money | None


class Bill(ExtractionSchema):
    """A bill."""

    reasoning: Reasoning
    number: Identifier | None
    seller: Text | None = field(compare="name")
    place: Text | None = field(compare="address")
    motto: Text | None = field(compare="words")
    term: Text | None = field(compare="duration")
    code: Text | None = field(compare="exact")
    day: dt.date | None
    kind: Literal["invoice", "credit note"] | None = field(synonyms={"invoice": ["Rechnung"]})
    paid: bool | None
    total: Money | None
    weight: Quantity | None = field(compare="tolerance 0.05")
    share: Quantity | None = field(compare="tolerance 1%")
    tags: list[Text] = field(max_length=9, compare="set")
    steps: list[Text] = field(max_length=9, compare="ordered text")
    lines: list[Item] = field(max_length=9)


EMPTY: dict[str, Any] = {
    name: [] if name in ("tags", "steps", "lines") else None for name in Bill.model_fields
} | {"reasoning": ""}


def outcome(name: str, value: Any, label: Any) -> Outcome:
    """The outcome of one field that is no list."""
    fields, unusable = LabelReader(Bill, {"/day": "dmy"}).read({name: label})
    assert not unusable
    (one,) = compare(Bill, EMPTY | {name: value}, fields)
    assert one.field == one.pointer == f"/{name}"
    return one.outcome


@pytest.mark.parametrize(
    ("name", "value", "label", "expected"),
    [
        ("total", "9.5", "9.50", RIGHT),
        ("total", "1007.5", "RM 1,007.50", RIGHT),
        ("total", "1007.5", "1.007,50 €", RIGHT),
        ("total", "-3", "(3.00)", RIGHT),
        ("total", "9.51", "9.50", WRONG),
        ("total", "95", "9.5", WRONG),
        ("total", None, None, RIGHT),
        ("total", None, "", RIGHT),
        ("total", None, "0", MISSED),
        ("total", "0", None, INVENTED),
        ("day", "2018-12-25", "25/12/2018", RIGHT),
        ("day", "2019-01-12", "12-01-19", RIGHT),
        ("day", "2019-12-01", "12-01-19", WRONG),
        ("day", "2018-03-05", "05 MAR 2018", RIGHT),
        ("day", "2020-03-01", "1. März 2020", RIGHT),
        ("seller", "ACME Company Limited", "Acme Co. Ltd.", RIGHT),
        ("seller", "Foo & Bar, Inc", "FOO AND BAR INCORPORATED", RIGHT),
        ("seller", "Acme Ltd", "Acme Inc", WRONG),
        ("place", "Lieferantenstr. 20\n80333 München", "Lieferantenstraße 20, 80333 MÜNCHEN", RIGHT),
        ("place", "Lieferantenstr. 2", "Lieferantenstraße 20", WRONG),
        ("motto", "rain or shine", "Shine or rain", RIGHT),
        ("motto", "rain or shine", "rain shine", WRONG),
        ("number", "DE12 3456", "de123456", RIGHT),
        ("number", "RE-2024-1", "RE-20241", WRONG),
        ("code", "aB", "aB", RIGHT),
        ("code", "ab", "aB", WRONG),
        ("term", "2 years", "twenty-four months", RIGHT),
        ("term", "two (2) years", "24 months", RIGHT),
        ("term", "2 years", "2 months", WRONG),
        ("kind", "invoice", "RECHNUNG", RIGHT),
        ("kind", "credit note", "Rechnung", WRONG),
        ("paid", True, "yes", RIGHT),
        ("paid", False, "yes", WRONG),
        ("weight", "1.05", "1", RIGHT),
        ("weight", "1.0501", "1", WRONG),
        ("share", "101", "100", RIGHT),
        ("share", "101.01", "100", WRONG),
        ("share", "-99", "-100", RIGHT),
        ("total", "5", ["4", "5"], RIGHT),
        ("total", "6", ["4", "5"], WRONG),
    ],
)
def test_one_value_against_its_label(name: str, value: Any, label: Any, expected: Outcome) -> None:
    assert outcome(name, value, label) is expected


def lists(name: str, value: list[Any], label: list[Any] | None) -> list[tuple[str, str, Outcome]]:
    """(field, pointer, outcome) of a list field."""
    fields, _ = LabelReader(Bill).read({name: label})
    return [(one.field, one.pointer, one.outcome) for one in compare(Bill, EMPTY | {name: value}, fields)]


def test_a_set_is_in_any_order() -> None:
    assert lists("tags", ["b", "A"], ["a", "B"]) == [
        ("/tags/*", "/tags/1", RIGHT),
        ("/tags/*", "/tags/0", RIGHT),
    ]


def test_what_a_set_lacks_is_missed_and_what_it_has_too_much_is_invented() -> None:
    assert lists("tags", ["apples", "plums"], ["plums", "kiwis"]) == [
        ("/tags/*", "/tags/1", RIGHT),
        ("/tags/*", "/tags", MISSED),
        ("/tags/*", "/tags/0", INVENTED),
    ]


def test_an_item_that_is_nearly_the_labels_is_wrong_and_not_missed() -> None:
    assert lists("tags", ["green aples"], ["green apples"]) == [("/tags/*", "/tags/0", WRONG)]


def test_an_item_that_stands_twice_is_right_once() -> None:
    assert Counter(kind for *_, kind in lists("tags", ["a", "a"], ["a"])) == {RIGHT: 1, INVENTED: 1}


def test_in_an_ordered_list_what_stands_elsewhere_is_not_right() -> None:
    assert Counter(kind for *_, kind in lists("steps", ["mix", "bake", "cool"], ["mix", "cool", "bake"])) == {
        RIGHT: 2, MISSED: 1, INVENTED: 1,
    }  # fmt: skip
    assert [kind for *_, kind in lists("steps", ["bake", "cool"], ["mix", "bake", "cool"])] == [
        MISSED,
        RIGHT,
        RIGHT,
    ]


@pytest.mark.parametrize("label", [None, []])
def test_no_items_against_no_items_is_right(label: list[Any] | None) -> None:
    assert lists("lines", [], label) == [
        ("/lines/*/name", "/lines", RIGHT),
        ("/lines/*/count", "/lines", RIGHT),
        ("/lines/*/price", "/lines", RIGHT),
    ]


BOLT = {"name": "Steel bolt M8", "count": "100", "price": "12.00"}
NUT = {"name": "Steel nut M8", "count": "100", "price": "9.50"}
OIL = {"name": "Oil", "count": "1", "price": None}


def test_rows_are_aligned_by_content() -> None:
    found = lists("lines", [OIL, NUT, BOLT], [BOLT, NUT, OIL])
    assert {kind for *_, kind in found} == {RIGHT}
    assert [pointer for _, pointer, _ in found[::3]] == ["/lines/2/name", "/lines/1/name", "/lines/0/name"]


def test_a_missing_row_is_missed_and_the_others_stay_right() -> None:
    found = lists("lines", [OIL, NUT], [BOLT, NUT, OIL])
    assert Counter(kind for *_, kind in found) == {RIGHT: 6, MISSED: 3}
    assert {pointer for _, pointer, kind in found if kind is MISSED} == {"/lines"}


def test_a_row_too_many_is_invented_with_what_it_says() -> None:
    found = lists("lines", [BOLT, OIL], [BOLT])
    assert Counter(kind for *_, kind in found) == {RIGHT: 3, INVENTED: 2}


def test_one_wrong_value_in_a_row_does_not_lose_the_row() -> None:
    found = lists("lines", [NUT | {"price": "9.05"}, BOLT], [BOLT, NUT])
    assert Counter(kind for *_, kind in found) == {RIGHT: 5, WRONG: 1}
    assert ("/lines/*/price", "/lines/0/price", WRONG) in found


def test_a_field_that_the_label_lacks_is_not_scored_and_does_not_align() -> None:
    found = lists("lines", [NUT, BOLT], [{"name": "steel bolt m8"}, {"name": "Steel nut M8"}])
    assert found == [("/lines/*/name", "/lines/1/name", RIGHT), ("/lines/*/name", "/lines/0/name", RIGHT)]


def test_an_empty_row_too_many_counts() -> None:
    empty = {"name": None, "count": None, "price": None}
    assert INVENTED in {kind for *_, kind in lists("lines", [BOLT, empty], [BOLT])}


class Group(Row):
    """Rows of which only a list says which is which."""

    members: list[Item]


class Groups(ExtractionSchema):
    """A list of lists."""

    reasoning: Reasoning
    groups: list[Group]


def test_rows_that_hold_only_lists_are_aligned_by_what_stands_in_those() -> None:
    first, second, third = ({"members": members} for members in ([BOLT, NUT], [OIL], [BOLT | {"price": "1"}]))
    fields, _ = LabelReader(Groups).read({"groups": [first, second, third]})
    outcomes = compare(Groups, {"reasoning": "", "groups": [third, first]}, fields)
    assert Counter(one.outcome for one in outcomes) == {RIGHT: 9, MISSED: 2}
    assert outcomes[0].pointer == "/groups/1/members/0/name"


def test_without_a_valid_answer_every_labelled_field_is_unanswered() -> None:
    fields, _ = LabelReader(Bill).read({"total": "1", "day": None, "lines": [{"name": "x"}], "tags": []})
    for value in (None, {"total": "1"}, EMPTY | {"total": "one"}):
        outcomes = compare(Bill, value, fields)
        assert [(one.field, one.outcome) for one in outcomes] == [
            (field, UNANSWERED) for field in ("/day", "/total", "/tags/*", "/lines/*/name")
        ]
        assert not exactly_right(outcomes)
        assert findings(outcomes) == []


def test_shares_add_up_to_one_and_findings_name_what_is_expected() -> None:
    fields, _ = LabelReader(Bill).read({"total": "RM 4.00", "day": "2020-01-02", "lines": [BOLT, NUT]})
    outcomes = compare(Bill, EMPTY | {"total": "5", "lines": [BOLT, OIL | {"price": "3"}]}, fields)
    for share in shares(outcomes).values():
        assert sum(share.values()) == pytest.approx(1)
    said = {finding.pointer: finding for finding in findings(outcomes)}
    assert said["/total"].message == "/total: the label says 4, not 5"
    assert said["/total"].rule == "correctness.wrong"
    assert said["/day"].message == "/day: null, where the label says 2020-01-02"
    assert said["/lines/1/price"].rule == "correctness.invented"
    assert {(one.level, one.category) for one in said.values()} == {(Level.CORRECTNESS, Category.INCORRECT)}


def test_nothing_labelled_is_not_exactly_right() -> None:
    assert not exactly_right(compare(Bill, EMPTY, {}))


def test_a_date_that_the_whole_set_leaves_open_counts_under_either_reading() -> None:
    fields, _ = LabelReader(Bill).read({"day": "03/04/2019"})
    assert fields["day"] == AnyOf((dt.date(2019, 3, 4), dt.date(2019, 4, 3)))
    for day in ("2019-04-03", "2019-03-04"):
        assert exactly_right(compare(Bill, EMPTY | {"day": day}, fields))


@pytest.mark.parametrize(
    ("printed", "locale", "expected"),
    [
        (["25/12/2018", "03/04/2019"], None, "dmy"),
        (["12/25/2018", "03/04/2019"], None, "mdy"),
        (["12/25/2018", "25/12/2018"], None, None),
        (["12/25/2018"], "en_GB", "dmy"),
        (["03/04/2019"], None, None),
    ],
)
def test_the_sets_own_dates_decide(printed: list[str], locale: str | None, expected: str | None) -> None:
    assert conventions(Bill, [{"day": text} for text in printed], locale).get("/day") == expected


def test_the_sets_own_numbers_decide() -> None:
    german = [{"total": "1.234"}, {"total": "7,50"}]
    assert conventions(Bill, german) == {"/total": ","}
    fields, _ = LabelReader(Bill, {"/total": ","}).read(german[0])
    assert fields == {"total": Decimal(1234)}


@pytest.mark.parametrize(
    ("name", "label", "reason"),
    [
        ("total", "nine", "no number"),
        ("total", "1 or 2 or 3.5", "more than one number"),
        ("total", Decimal("1e999999"), "no number that a field can hold"),
        ("total", float("nan"), "no number that a field can hold"),
        ("total", True, "no number"),
        ("day", "2025-01-2025", "no date"),
        ("day", "01.02.2020 - 03.04.2020", "more than one date"),
        ("kind", "letter", "none of invoice, credit note"),
        ("paid", "perhaps", "neither true nor false"),
        ("seller", {"name": "x"}, "no text"),
        ("lines", ["bolt"], "one value is given where the schema has an object"),
        ("lines", '[{"name": ', "no JSON"),
    ],
)
def test_a_label_that_cannot_be_read_is_named_and_left_out(name: str, label: Any, reason: str) -> None:
    fields, unusable = LabelReader(Bill).read({name: label, "code": "x"})
    assert fields == {"code": "x"}
    assert [(one.pointer, reason in one.reason) for one in unusable] == [(f"/{name}", True)]


def test_fields_that_the_schema_lacks_are_found_at_any_depth() -> None:
    label = {"totl": 1, "lines": [{"name": "x"}, {"nam": "y"}, {"nam": "z"}], "day": None}
    assert unknown_fields(Bill, label) == ["/totl", "/lines/*/nam"]


ANSWERS = st.fixed_dictionaries(
    {
        "total": st.none() | st.decimals(-(10**6), 10**6, places=2).map(str),
        "day": st.none() | st.dates(dt.date(1950, 1, 1), dt.date(2060, 1, 1)).map(str),
        "seller": st.none() | st.text(min_size=1, max_size=20),
        "tags": st.lists(st.text(min_size=1, max_size=8), max_size=5),
        "lines": st.lists(
            st.fixed_dictionaries(
                {
                    "name": st.none() | st.text(min_size=1, max_size=8),
                    "count": st.none() | st.integers(0, 99).map(str),
                    "price": st.none() | st.decimals(0, 99, places=2).map(str),
                }
            ),
            max_size=6,
        ),
    }
)


@given(ANSWERS, st.randoms(use_true_random=False))
def test_every_answer_is_exactly_right_against_itself_in_any_order(
    answer: dict[str, Any], random: Any
) -> None:
    fields, unusable = LabelReader(Bill, {"/total": "."}).read(answer)
    assert not unusable
    shuffled = {name: random.sample(value, len(value)) if isinstance(value, list) else value
                for name, value in answer.items()}  # fmt: skip
    # An empty text in a label says that there is nothing.
    blank = any(isinstance(text, str) and not text.strip() for text in _texts(answer))
    assert blank or exactly_right(compare(Bill, EMPTY | shuffled, fields))


def _texts(value: Any) -> list[Any]:
    if isinstance(value, dict | list):
        return [
            text for one in (value.values() if isinstance(value, dict) else value) for text in _texts(one)
        ]
    return [value]

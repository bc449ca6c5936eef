"""Changes of an answer: which places they have, what they become, and what a person goes on with."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from flows.review.answer import labelled
from flows.review.changes import Change, changed
from flows.review.fitted import fitted
from flows.review.places import next_anchor, places
from schemas.contract import ExtractionSchema, Reasoning, field
from schemas.errors import UsageError

Answer = dict[str, Any]
Name = Annotated[str, Field(min_length=2, max_length=20)]


class Share(BaseModel):
    """A row of a row; its amount may not be null."""

    owner: Name | None
    percent: int


class Line(BaseModel):
    """A row."""

    name: Name | None
    shares: list[Share] = field("Who has it.", max_length=2)


class Party(BaseModel):
    """An object that may not be there."""

    name: Name | None
    city: Name | None


class Deed(ExtractionSchema):
    """A schema with everything that can grow."""

    reasoning: Reasoning
    seller: Party | None
    lines: list[Line] = field("At least one, three at most.", min_length=1, max_length=3)
    witnesses: list[Name] | None = field("Their names.", max_length=2)


def deed(**given: Any) -> dict[str, Any]:
    return fitted(Deed, {"reasoning": "As printed.", **given})


def line(name: str, *shares: int) -> dict[str, Any]:
    return {"name": name, "shares": [{"owner": None, "percent": percent} for percent in shares]}


GIVEN = deed(lines=[line("Barn"), line("Mill", 40, 60)], witnesses=["Ann", "Ben"])


def do(answer: Answer, kind: str, pointer: str, **texts: str) -> tuple[Answer, Answer, str | None]:
    """The answer after a change, what it labels, and the id of what comes next. `_` is the place itself."""
    given = {"" if name == "_" else f"/{name}": text for name, text in texts.items()}
    done = changed(Deed, answer, Change(kind, pointer, given))
    anchor = next_anchor(places(Deed, done.answer), done)
    return done.answer, dict(labelled(done.answer, done.place)), anchor


def test_every_value_list_and_missing_object_has_a_place() -> None:
    found = [(place.kind, place.pointer) for place in places(Deed, GIVEN)]
    assert found == [
        ("object", "/seller"),
        ("value", "/lines/0/name"),
        ("list", "/lines/0/shares"),
        ("value", "/lines/1/name"),
        ("value", "/lines/1/shares/0/owner"),
        ("value", "/lines/1/shares/0/percent"),
        ("value", "/lines/1/shares/1/owner"),
        ("value", "/lines/1/shares/1/percent"),
        ("list", "/lines/1/shares"),
        ("list", "/lines"),
        ("value", "/witnesses/0"),
        ("value", "/witnesses/1"),
        ("list", "/witnesses"),
    ]
    heads = {head.pointer: head.change for place in places(Deed, GIVEN) for head in place.heads}
    assert list(heads) == ["/lines/0", "/lines/1", "/lines/1/shares/0", "/lines/1/shares/1"]
    assert set(heads.values()) == {"remove"}


def test_a_row_starts_as_nulls_and_its_list_is_labelled_as_a_whole() -> None:
    answer, labels, anchor = do(GIVEN, "add", "/lines")
    assert answer["lines"] == [*GIVEN["lines"], {"name": None, "shares": []}]
    assert (labels, anchor) == ({"/lines": answer["lines"]}, "value-9")
    assert places(Deed, answer)[9].pointer == "/lines/2/name"


def test_what_may_not_be_null_is_asked_for() -> None:
    grown, labels, anchor = do(GIVEN, "add", "/lines/0/shares", percent="75 %")
    assert grown["lines"][0]["shares"] == [{"owner": None, "percent": 75}]
    assert (labels, anchor) == ({"/lines": grown["lines"]}, "value-2")
    for given in ({}, {"percent": " "}, {"owner": "Ann"}):
        with pytest.raises(UsageError, match="/lines/0/shares/0/percent may not be absent"):
            do(GIVEN, "add", "/lines/0/shares", **given)
    assert do(deed(), "add", "/witnesses", _="Ann")[0]["witnesses"] == ["Ann"]  # a list that was null
    with pytest.raises(UsageError, match="/witnesses/0 may not be absent"):
        do(deed(), "add", "/witnesses")


def test_a_removed_row_shifts_the_later_ones() -> None:
    answer, labels, anchor = do(GIVEN, "remove", "/lines/0")
    assert answer["lines"] == [line("Mill", 40, 60)]
    assert (labels, anchor) == ({"/lines": answer["lines"]}, "value-1")  # the row that moved up
    answer, labels, anchor = do(GIVEN, "remove", "/lines/1")
    assert (labels, anchor) == ({"/lines": [line("Barn")]}, "value-1")  # the row before
    answer, labels, anchor = do(GIVEN, "remove", "/lines/1/shares/0")
    assert (labels, anchor) == ({"/lines": [line("Barn"), line("Mill", 60)]}, "value-4")


def test_the_last_row_gives_way_to_the_place_where_one_can_be_added() -> None:
    answer, labels, anchor = do(do(GIVEN, "remove", "/witnesses/0")[0], "remove", "/witnesses/0")
    assert (labels, anchor) == ({"/witnesses": []}, "value-10")
    assert places(Deed, answer)[10] == places(Deed, answer)[-1]


def test_an_object_is_filled_in_and_taken_away_again() -> None:
    filled, labels, anchor = do(GIVEN, "fill", "/seller")
    assert filled["seller"] == {"name": None, "city": None}
    assert (labels, anchor) == ({"/seller": {}}, "value-0")
    named, labels, anchor = do(filled, "correct", "/seller/name", _="Ann")
    assert (labels, anchor) == ({"/seller/name": "Ann"}, "card-1")  # its city is still unknown
    whole = do(named, "correct", "/seller/city", _="Ulm")
    assert whole[2] is None
    assert do(whole[0], "correct", "/seller/name", _="Bea")[2] is None  # nothing is left to be filled in
    gone, labels, anchor = do(named, "absent", "/seller")
    assert (gone, labels, anchor) == (GIVEN, {"/seller": None}, "value-0")


@pytest.mark.parametrize(
    ("kind", "pointer", "told"),
    [
        ("add", "/witnesses", "/witnesses cannot have another row: the schema allows 2 rows at most"),
        ("add", "/seller", "/seller is no list"),
        ("add", "/lines/0", "/lines/0 is no list"),
        ("add", "", "the answer is no list"),
        ("add", "/lines/2/shares", "has no place"),
        ("remove", "/lines/2", "has no place"),
        ("remove", "/lines/-1", "has no place"),
        ("remove", "/lines/00", "has no place"),
        ("remove", "/lines", "the answer is no list"),
        ("remove", "/lines/0/name", "/lines/0 is no list"),
        ("fill", "/lines/0", "/lines/0 is nothing that can be filled in"),
        ("fill", "/witnesses", "/witnesses is nothing that can be filled in"),
        ("fill", "/buyer", "has no place"),
        ("fill", "", "nothing that can be filled in"),
    ],
)
def test_what_cannot_be_is_said(kind: str, pointer: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        do(GIVEN, kind, pointer)


def test_a_list_keeps_the_fewest_rows_that_its_schema_allows() -> None:
    one = deed(lines=[line("Barn")])
    with pytest.raises(UsageError, match="/lines/0 cannot be removed: the schema asks for 1 row at least"):
        do(one, "remove", "/lines/0")
    assert [head.change for place in places(Deed, one) for head in place.heads] == [None]


def test_a_list_that_the_model_made_too_long_can_be_cut_back() -> None:
    many = deed(lines=[line(f"Barn {number}") for number in range(5)])
    assert len(do(many, "remove", "/lines/4")[0]["lines"]) == 4
    assert next(place.limit for place in places(Deed, many) if place.pointer == "/lines") != ""


class Parcel(BaseModel):
    """A row with an object of its own."""

    holder: Party | None
    plot: Name | None


class Register(ExtractionSchema):
    """Rows that hold objects."""

    reasoning: Reasoning
    parcels: list[Parcel | None] = field("Its parcels.", max_length=4)


def test_an_object_in_a_row_is_part_of_what_its_list_says() -> None:
    answer = fitted(Register, {"reasoning": "", "parcels": [{"holder": None, "plot": "7a"}, None]})
    done = changed(Register, answer, Change("fill", "/parcels/0/holder"))
    holder = {"name": None, "city": None}
    parcels = [{"holder": holder, "plot": "7a"}, None]
    assert dict(labelled(done.answer, done.place)) == {"/parcels": parcels}
    shown = places(Register, done.answer)
    assert next_anchor(shown, done) == "value-0"
    heads = [[(head.pointer, head.change) for head in place.heads] for place in shown]
    row, inside = ("/parcels/0", "remove"), ("/parcels/0/holder", "absent")
    assert heads == [[row, inside], [], [], [("/parcels/1", "remove")], []]
    last = changed(Register, done.answer, Change("fill", "/parcels/1"))
    assert last.answer["parcels"][1] == {"holder": None, "plot": None}
    gone = changed(Register, last.answer, Change("absent", "/parcels/0/holder"))
    assert dict(labelled(gone.answer, gone.place)) == {"/parcels": gone.answer["parcels"]}

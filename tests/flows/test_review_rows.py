"""Rows and objects at the desk: added, removed, filled in; and what follows for labels and their users."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from flows.evaluation.asked import Asked
from flows.evaluation.known import known_labels
from flows.review.app import build
from flows.review.desk import Desk
from flows.review.guard import Access
from flows.training import export_training
from schemas.errors import UsageError
from schemas.registry import load
from tests.flows import bills
from tests.flows.bills import ANSWER, LINES, SCHEMA, line
from tests.warehouse.samples import sha
from warehouse.evaluations import LabelRow
from warehouse.rows import now
from warehouse.runs import new_run_id
from warehouse.store import Warehouse


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """The invoice and the agreement."""
    return bills.build(tmp_path / "home")


Opened = Callable[..., "Person"]


class Person:
    """Somebody at the desk, in front of one document."""

    def __init__(self, warehouse: Warehouse, name: str, who: str, read_only: bool) -> None:
        app = build(Desk(warehouse, load(None), read_only), Access(who), ["127.0.0.1"])
        self._client = TestClient(app, base_url="http://127.0.0.1:8177", follow_redirects=False)
        runs = f"SELECT run_id FROM extractions WHERE document_id = '{sha(name)}'"
        (row,) = warehouse.query(runs).to_pylist()
        self.address = f"/document/{row['run_id']}/{sha(name)}"

    def page(self) -> LexborHTMLParser:
        return LexborHTMLParser(self._client.get(self.address).text)

    def seen(self) -> dict[str, str]:
        """What all forms of the page as it is now carry."""
        (first, *_) = self.page().css("form")
        hidden = [one.attributes for one in first.css("[type=hidden]")]
        return {one["name"] or "": one["value"] or "" for one in hidden}

    def does(self, kind: str, pointer: str, where: str = "decide", **given: str) -> Any:
        sent = {**self.seen(), "decision": kind, "pointer": pointer, **given}
        return self._client.post(f"{self.address}/{where}", data=sent)


@pytest.fixture
def at_desk(warehouse: Warehouse) -> Opened:
    def open_(name: str = "a", who: str = "ada", read_only: bool = False) -> Person:
        return Person(warehouse, name, who, read_only)

    return open_


def current(warehouse: Warehouse, name: str = "a") -> dict[str, Any]:
    (row,) = warehouse.query(
        f"SELECT value::VARCHAR AS value FROM current WHERE document_id = '{sha(name)}'"
    ).to_pylist()
    found: dict[str, Any] = json.loads(row["value"])
    return found


def labels(warehouse: Warehouse) -> list[tuple[str, Any]]:
    return [(pointer, json.loads(value)) for _, pointer, value in warehouse.labels("invoice@2")]


def evaluated(warehouse: Warehouse) -> dict[str, Any]:
    """What an evaluation holds the invoice against, amounts with their cents."""
    (label,) = known_labels(Asked(None, "invoice@2", runs=("r",)), SCHEMA, warehouse).rows
    found: dict[str, Any] = json.loads(json.dumps(label.fields, default="{:.2f}".format))
    return found


def trained(warehouse: Warehouse, tmp_path: Path) -> dict[str, Any]:
    """The answer that a training set has for the invoice."""
    export_training(warehouse, tmp_path / "set.jsonl", SCHEMA)
    (text,) = (tmp_path / "set.jsonl").read_text().splitlines()
    found: dict[str, Any] = json.loads(json.loads(text)["messages"][-1]["content"])
    return found


def say(warehouse: Warehouse, pointer: str, value: Any) -> None:
    """A label that was given before, at another desk."""
    given = json.dumps(value)
    row = LabelRow(
        new_run_id(), sha("a"), "invoice@2", pointer, given, "eve", "review", now(), attempt_id="x"
    )
    warehouse.add_labels([row])


def test_a_row_is_added_filled_and_another_removed(warehouse: Warehouse, at_desk: Opened) -> None:
    ada = at_desk()
    said = ada.does("add", "/lines", where="check").json()
    assert said["status"] == "flagged"
    assert current(warehouse) == ANSWER
    added = ada.does("add", "/lines")
    assert (added.status_code, added.headers["location"].partition("#")[2]) == (303, "value-19")
    first = ada.page().css_first("#value-19")
    assert first is not None
    assert first.attributes["aria-describedby"] == "findings-19"
    assert (current(warehouse)["lines"], labels(warehouse)) == (
        [*LINES, line(None, None)],
        [("/lines", [*LINES, line(None, None)])],
    )
    filled = ada.does("correct", "/lines/3/name", value="Yeast")
    assert filled.headers["location"].endswith("#card-20")  # the row's next value is unknown
    removed = ada.does("remove", "/lines/1")
    assert removed.headers["location"].endswith("#value-11")  # the name of what was the third row
    ada.does("correct", "/lines/2/line_total", value="1.00")
    right = [LINES[0], LINES[2], line("Yeast", "1.00")]
    assert current(warehouse)["lines"] == right
    assert labels(warehouse)[-1] == ("/lines", right)
    assert [name for name, _ in labels(warehouse)] == ["/lines"] * 4
    assert evaluated(warehouse)["lines"] == right
    decided = warehouse.query("SELECT decision, pointer FROM reviews ORDER BY review_id").to_pylist()
    assert [tuple(row.values()) for row in decided] == [
        ("added", "/lines/3"),
        ("corrected", "/lines/3/name"),
        ("removed", "/lines/1"),
        ("corrected", "/lines/2/line_total"),
    ]


def test_older_labels_of_rows_that_are_gone_do_not_come_back(
    warehouse: Warehouse, at_desk: Opened, tmp_path: Path
) -> None:
    say(warehouse, "/lines/2/name", "Sugar")
    say(warehouse, "/lines", [*LINES, line("Sugar", None)])
    say(warehouse, "/lines/3/line_total", "3.00")
    ada = at_desk()
    ada.does("remove", "/lines/2")
    left = LINES[:2]
    assert current(warehouse)["lines"] == left
    assert evaluated(warehouse) == {"lines": left}
    assert trained(warehouse, tmp_path)["lines"] == left
    typed = warehouse.query("SELECT len(lines) AS rows FROM invoice_v2").to_pylist()
    assert typed == [{"rows": 2}]


def test_a_missing_object_is_filled_in_and_its_older_null_gives_way(
    warehouse: Warehouse, at_desk: Opened, tmp_path: Path
) -> None:
    ada = at_desk()
    ada.does("accept", "")
    assert dict(labels(warehouse))["/seller"] is None
    assert ada.does("fill", "/seller").headers["location"].endswith("#value-4")
    assert labels(warehouse)[-1] == ("/seller", {})
    assert "seller" not in evaluated(warehouse)  # there is one, and nothing is known of it
    ada.does("correct", "/seller/name", value="Mill Ltd")
    assert labels(warehouse)[-1] == ("/seller/name", "Mill Ltd")
    assert evaluated(warehouse)["seller"] == {"name": "Mill Ltd"}
    seller = {"name": "Mill Ltd", "street": None, "postcode": None, "city": None, "vat_id": None}
    assert current(warehouse)["seller"] == seller
    assert trained(warehouse, tmp_path)["seller"] == seller


def test_what_was_taken_back_can_be_said_again(warehouse: Warehouse, at_desk: Opened, tmp_path: Path) -> None:
    ada = at_desk()
    for _ in range(2):
        ada.does("fill", "/seller")
        ada.does("correct", "/seller/name", value="Mill Ltd")
        assert evaluated(warehouse)["seller"] == {"name": "Mill Ltd"}
        assert ada.does("absent", "/seller").headers["location"].endswith("#value-4")
        assert evaluated(warehouse) == {"seller": None}
        assert trained(warehouse, tmp_path)["seller"] is None
    ada.does("fill", "/seller")
    assert trained(warehouse, tmp_path)["seller"]["name"] is None


def test_a_persons_word_counts_again_after_a_file_said_otherwise(
    warehouse: Warehouse, at_desk: Opened
) -> None:
    ada = at_desk()
    ada.does("remove", "/lines/1")
    said = labels(warehouse)
    moment = now()
    for number in (new_run_id(), new_run_id()):  # the file is measured twice, and says it once
        row = LabelRow(number, sha("a"), "invoice@2", "/lines", "[]", "me", "gold.jsonl", moment)
        warehouse.add_labels([row])
    assert labels(warehouse) == [*said, ("/lines", [])]
    ada.does("accept", "")
    assert evaluated(warehouse)["lines"] == [LINES[0], LINES[2]]


def test_an_object_of_an_earlier_word_is_put_into_a_later_answer(
    warehouse: Warehouse, at_desk: Opened, tmp_path: Path
) -> None:
    say(warehouse, "/seller/city", "Ulm")
    assert trained(warehouse, tmp_path)["seller"]["city"] == "Ulm"
    say(warehouse, "/nothing/city", "Ulm")
    with pytest.raises(UsageError, match="does not fit the schema"):
        trained(warehouse, tmp_path)


def test_the_schemas_limits_are_told(warehouse: Warehouse, at_desk: Opened) -> None:
    ada = at_desk("b")
    for name in "ABCDEFGH":
        assert ada.does("add", "/parties", value=f"Party {name}").status_code == 303
    refused = ada.does("add", "/parties", value="Party I")
    assert refused.status_code == 422
    assert "/parties cannot have another row: the schema allows 8 rows at most" in refused.text
    (last,) = [card for card in ada.page().css("form.card") if card.attributes["data-kind"] == "add"]
    assert "No more rows: the schema allows 8 rows at most." in last.text()
    assert last.css("button") == []
    assert len(current(warehouse, "b")["parties"]) == 8


def test_a_row_that_is_a_value_is_asked_for(warehouse: Warehouse, at_desk: Opened) -> None:
    ada = at_desk("b")
    (box,) = ada.page().css("input[required]")
    assert ada.page().css(f"label[for={box.attributes['id']}]")
    for given, told in (({}, "may not be absent"), ({"value": "x" * 100}, "not allowed here")):
        refused = ada.does("add", "/parties", **given)
        assert (refused.status_code, told in refused.text) == (422, True)
    assert ada.does("absent", "/parties").status_code == 422
    assert warehouse.query("FROM reviews").num_rows == 0
    ada.does("add", "/parties", value="Mill Ltd")
    ada.does("remove", "/parties/0")
    assert current(warehouse, "b")["parties"] == []


def test_two_people_and_those_who_only_look(warehouse: Warehouse, at_desk: Opened) -> None:
    ada, bob, eve = at_desk(), at_desk(who="bob"), at_desk(who="eve", read_only=True)
    seen = bob.seen()["version"]
    ada.does("add", "/lines")
    late = bob.does("remove", "/lines/3", version=seen)
    assert (late.status_code, "ada decided on this document meanwhile" in late.text) == (409, True)
    for kind, pointer in (("add", "/lines"), ("remove", "/lines/0"), ("fill", "/seller")):
        assert eve.does(kind, pointer).status_code == 422
    assert eve.page().css("button") == []
    assert warehouse.query("FROM reviews").num_rows == 1


def test_only_what_there_is_can_be_changed(warehouse: Warehouse, at_desk: Opened) -> None:
    ada = at_desk()
    for kind, pointer in (
        ("add", "/seller"),
        ("add", "/lines/0"),
        ("add", "lines"),
        ("remove", "/lines/3"),
        ("remove", "/lines"),
        ("remove", ""),
        ("fill", "/lines"),
        ("fill", "/grand_total"),
        ("fill", "/reasoning"),
        ("correct", "/seller"),
    ):
        assert ada.does(kind, pointer, value='{"name": "Mill"}').status_code == 422, (kind, pointer)
    assert warehouse.query("FROM reviews").num_rows == 0
    assert labels_or_none(warehouse) is None


def labels_or_none(warehouse: Warehouse) -> dict[str, Any] | None:
    try:
        return evaluated(warehouse)
    except UsageError:
        return None

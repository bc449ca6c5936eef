"""The review desk over a real warehouse: the queue, one document, corrections, and who is let in."""

from __future__ import annotations

import io
import json
import re
import shutil
import socket
from collections.abc import Callable
from dataclasses import replace
from math import log
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from selectolax.lexbor import LexborHTMLParser
from starlette.requests import Request as HTTPRequest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from flows.cli import app as cli
from flows.commands.review import names
from flows.order import Order
from flows.plan import planned
from flows.review.answer import corrected
from flows.review.app import build
from flows.review.desk import Desk
from flows.review.guard import Access
from flows.run import carry_out
from flows.settings import Settings
from schemas.errors import UsageError
from schemas.records import Token
from schemas.registry import load as load_registry
from tests.flows.fake_engine import Factory, SpellingEngine, receipt_answer
from tests.warehouse.holding import held
from warehouse.store import Warehouse

HOSTILE = "\"'><script>alert(1)<⁄script><img src=x onerror=alert(1)>{{7*7}}.txt"
ATTACK = "<img src=x onerror=\"document.title='taken'\">"
SOURCE = f"COMPANY 0007 SDN BHD\n{ATTACK}\nMILK 1 X 2.00\nTOTAL 7.50\nCASH 7.50\nTHANK YOU\n"
ADDRESS = "http://127.0.0.1:8177"


def answering(prompt: str) -> str:
    """A wrong company for the one receipt, no JSON for the other."""
    right = json.loads(receipt_answer(prompt))
    if right["company"] != "COMPANY 0007 SDN BHD":
        return "Here you are!"
    return json.dumps({**right, "company": "SOMEBODY ELSE"})


class Spelling(SpellingEngine):
    """Of each token the mask took half."""

    def _token(self, place: int, token_id: int) -> Token:
        return replace(super()._token(place, token_id), raw_logprob=log(0.25))


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory, model_dir: Path) -> Path:
    """The home of one run over two receipts: one is flagged, one rejected."""
    folder = tmp_path_factory.mktemp("review")
    source = folder / "source"
    source.mkdir()
    (source / HOSTILE).write_text(SOURCE)
    (source / "other.txt").write_text(SOURCE.replace("0007", "0008"))
    settings = Settings(home=folder / "home", model=model_dir)
    with planned(Order(str(source), "receipt@1", decoding="prompt-greedy"), settings) as plan:
        carry_out(
            plan, start_engine=Factory(answer=answering, kind=Spelling), console=Console(file=io.StringIO())
        )
    return settings.home


@pytest.fixture
def home(night: Path, tmp_path: Path) -> Path:
    """A copy that a test may write into."""
    return Path(shutil.copytree(night, tmp_path / "home"))


@pytest.fixture
def open_desk(home: Path) -> Callable[..., TestClient]:
    def open_(
        access: Access | None = None, read_only: bool = False, base: str = ADDRESS, wait_s: float = 5.0
    ) -> TestClient:
        desk = Desk(Warehouse(home, wait_s=wait_s), load_registry(None), read_only)
        app = build(desk, access or Access("ada"), ["127.0.0.1"])
        return TestClient(app, base_url=base)

    return open_


@pytest.fixture
def desk(open_desk: Callable[..., TestClient]) -> TestClient:
    return open_desk()


def rows(home: Path, sql: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = Warehouse(home).query(sql).to_pylist()
    return found


def place(home: Path, status: str = "flagged") -> str:
    (row,) = rows(home, f"SELECT run_id, document_id FROM extractions WHERE status = '{status}'")
    return f"/document/{row['run_id']}/{row['document_id']}"


def form(client: TestClient, address: str, pointer: str) -> dict[str, str]:
    """The hidden fields of the form of one leaf, as a browser would send them."""
    html = LexborHTMLParser(client.get(address).text)
    for card in html.css("form.card, #accept"):
        fields = {one.attributes["name"] or "": one.attributes["value"] or "" for one in card.css("input")}
        if fields.get("pointer", "") == pointer:
            return fields
    raise AssertionError(f"no form for {pointer}")


def test_the_queue_holds_what_was_not_accepted_and_filters(desk: TestClient, home: Path) -> None:
    html = LexborHTMLParser(desk.get("/").text)
    assert [cell.text() for cell in html.css("td.flagged, td.rejected")] == ["flagged", "rejected"]
    for query, count in (
        ("schema=receipt%401", 2),
        ("category=ungrounded", 1),
        ("field=/company", 1),
        ("field=/total", 0),
        ("run=elsewhere", 0),
        ("schema=a%27%20OR%201=1--", 0),
    ):
        assert len(LexborHTMLParser(desk.get(f"/?{query}").text).css("tbody a")) == count, query


def test_a_document_stands_beside_its_fields_and_each_span_is_marked(desk: TestClient, home: Path) -> None:
    html = LexborHTMLParser(desk.get(place(home)).text)
    cards = {node.css_first("label").text().split()[0]: node for node in html.css("form.card")}  # type: ignore[union-attr]
    assert list(cards) == ["/company", "/date", "/address", "/total"]
    assert cards["/company"].css("li.error")
    number = cards["/total"].attributes["data-card"]
    marks = [(node.text(), node.attributes["data-places"]) for node in html.css("mark")]
    assert marks == [("7.50", f"{number}.0"), ("7.50", f"{number}.1")]
    source = html.css_first("#source")
    assert source is not None
    assert source.text() == SOURCE


def test_a_corrected_value_is_checked_and_shows_in_current_and_labels(desk: TestClient, home: Path) -> None:
    address = place(home)
    given = {**form(desk, address, "/company"), "value": "COMPANY 0007 SDN BHD"}
    told = desk.post(f"{address}/check", data=given).json()
    assert told == {"status": "accepted", "findings": []}
    answer = desk.post(f"{address}/decide", data={**given, "decision": "correct"}, follow_redirects=False)
    assert answer.status_code == 303
    sql = "SELECT status, value->>'company' AS company, reviewed_by FROM current WHERE value IS NOT NULL"
    assert rows(home, sql) == [
        {"status": "accepted", "company": "COMPANY 0007 SDN BHD", "reviewed_by": "ada"}
    ]
    kept = rows(home, "SELECT status, value->>'company' AS company FROM extractions WHERE value IS NOT NULL")
    assert kept == [{"status": "flagged", "company": "SOMEBODY ELSE"}]
    labels = rows(home, "SELECT pointer, value, before, who, source, attempt_id IS NULL AS lost FROM labels")
    assert labels == [
        {
            "pointer": "/company",
            "value": '"COMPANY 0007 SDN BHD"',
            "before": '"SOMEBODY ELSE"',
            "who": "ada",
            "source": "review",
            "lost": False,
        }
    ]
    assert len(LexborHTMLParser(desk.get("/").text).css("tbody a")) == 1


def test_absent_and_accepted_are_decisions_too(desk: TestClient, home: Path) -> None:
    address = place(home)
    desk.post(f"{address}/decide", data={**form(desk, address, "/total"), "decision": "absent"})
    desk.post(f"{address}/decide", data={**form(desk, address, ""), "decision": "accept"})
    decided = rows(home, "SELECT decision, pointer, status FROM reviews ORDER BY review_id")
    assert decided == [
        {"decision": "absent", "pointer": "/total", "status": "flagged"},
        {"decision": "accepted", "pointer": "", "status": "accepted"},
    ]
    labels = rows(home, "SELECT pointer, value::VARCHAR AS value FROM labels ORDER BY label_id")
    assert {row["pointer"]: row["value"] for row in labels}["/total"] == "null"
    told = [node.text() for node in LexborHTMLParser(desk.get(address).text).css("h2 + ul li")]
    assert [text.partition(" by ada, ")[0] for text in told[-2:]] == ["accepted ", "absent /total"]
    assert len({row["pointer"] for row in labels}) == 4


def test_a_closed_list_can_be_chosen_from(open_desk: Callable[..., TestClient], home: Path) -> None:
    for table in ("extractions", "runs"):
        Warehouse(home).query(f"UPDATE {table} SET schema = 'invoice@1'", read_only=False)
    html = LexborHTMLParser(open_desk().get(place(home)).text)
    (box,) = html.css("input[list]")
    offered = [one.attributes["value"] for one in html.css(f"datalist#{box.attributes['list']} option")]
    assert offered[:3] == ["EUR", "USD", "GBP"]


def test_a_typed_value_is_read_as_the_schema_has_it(desk: TestClient, home: Path) -> None:
    address = place(home)
    given = form(desk, address, "/total")
    desk.post(f"{address}/decide", data={**given, "value": "RM 7,50", "decision": "correct"})
    sql = "SELECT value->>'total' AS total FROM current WHERE status = 'flagged'"
    assert rows(home, sql) == [{"total": "7.5"}]
    given = form(desk, address, "/total")
    desk.post(f"{address}/decide", data={**given, "value": "7.50", "decision": "correct"})
    assert rows(home, sql) == [{"total": "7.50"}]
    later = {**form(desk, address, "/date"), "value": "not a day"}
    refused = desk.post(f"{address}/decide", data={**later, "decision": "correct"})
    assert refused.status_code == 422
    assert "no date" in refused.text
    assert len(rows(home, "FROM reviews")) == 2


def test_an_answer_that_was_no_json_can_be_filled_in(desk: TestClient, home: Path) -> None:
    address = place(home, "rejected")
    refused = desk.post(f"{address}/decide", data={**form(desk, address, ""), "decision": "accept"})
    assert refused.status_code == 422
    given = {**form(desk, address, "/total"), "value": "7.50", "decision": "correct"}
    desk.post(f"{address}/decide", data=given)
    (found,) = rows(home, "SELECT value->>'total' AS total FROM current WHERE reviewed_by = 'ada'")
    assert found == {"total": "7.50"}


def test_an_answer_without_some_of_its_fields_can_be_put_right(desk: TestClient, home: Path) -> None:
    address = place(home, "rejected")
    lacking = (
        """UPDATE extractions SET value = '{"total": "7.50", "more": {"a": 1}}' WHERE status = 'rejected'"""
    )
    Warehouse(home).query(lacking, read_only=False)
    assert (
        desk.post(f"{address}/decide", data={**form(desk, address, ""), "decision": "accept"}).status_code
        == 422
    )
    given = {**form(desk, address, "/company"), "value": "COMPANY 0008 SDN BHD", "decision": "correct"}
    assert desk.post(f"{address}/check", data=given).json() == {"status": "accepted", "findings": []}
    desk.post(f"{address}/decide", data=given)
    (found,) = rows(home, "SELECT status, value::VARCHAR AS value FROM current WHERE reviewed_by = 'ada'")
    right = {
        "reasoning": "",
        "company": "COMPANY 0008 SDN BHD",
        "date": None,
        "address": None,
        "total": "7.50",
    }
    assert (found["status"], json.loads(found["value"])) == ("accepted", right)
    assert rows(home, "SELECT value->>'company' AS it FROM extractions WHERE status = 'rejected'") == [
        {"it": None}
    ]


def test_a_value_of_several_lines_keeps_its_words_apart(desk: TestClient, home: Path) -> None:
    printed = 'UPDATE extractions SET value = json_merge_patch(value, \'{"address": "MILK 1\\n THANK"}\')'
    Warehouse(home).query(f"{printed} WHERE status = 'flagged'", read_only=False)
    assert form(desk, place(home), "/address")["value"] == "MILK 1 THANK"


def test_two_people_do_not_overwrite_each_other(open_desk: Callable[..., TestClient], home: Path) -> None:
    ada, bob = open_desk(), open_desk(Access("bob"))
    address = place(home)
    seen = form(bob, address, "/company")
    first = {**form(ada, address, "/company"), "value": "COMPANY 0007 SDN BHD", "decision": "correct"}
    ada.post(f"{address}/decide", data=first)
    answer = bob.post(f"{address}/decide", data={**seen, "value": "THANK YOU", "decision": "correct"})
    assert answer.status_code == 409
    assert "ada decided on this document meanwhile" in answer.text
    assert "<dd>THANK YOU</dd>" in answer.text  # what was typed with care is not lost
    assert len(rows(home, "FROM reviews")) == 1
    assert len(rows(home, "FROM labels")) == 1


def test_what_could_not_be_recorded_can_be_sent_again(
    open_desk: Callable[..., TestClient], home: Path
) -> None:
    desk, address = open_desk(wait_s=0.1), place(home)
    given = {**form(desk, address, "/company"), "value": "<THANK> YOU", "decision": "correct"}
    with held(Warehouse(home).database, read_only=False):
        answer = desk.post(f"{address}/decide?field=/company", data=given)
    assert (answer.status_code, rows(home, "FROM reviews")) == (503, [])
    again = LexborHTMLParser(answer.text).css_first("main form")
    assert again is not None
    assert again.attributes["action"] == f"{address}/decide?field=%2Fcompany"
    sent = {one.attributes["name"] or "": one.attributes["value"] or "" for one in again.css("input")}
    assert sent == given
    assert desk.post(again.attributes["action"] or "", data=sent).status_code == 200
    assert rows(home, "SELECT value->>'company' AS it FROM reviews") == [{"it": "<THANK> YOU"}]


def test_a_document_that_cannot_be_shown_leads_on_to_the_next(desk: TestClient, home: Path) -> None:
    gone = "UPDATE extractions SET schema = 'receipt@9' WHERE status = 'flagged'"
    Warehouse(home).query(gone, read_only=False)
    answer = desk.get(f"{place(home)}?category=ungrounded")
    assert (answer.status_code, "There is no schema version" in answer.text) == (422, True)
    assert "Nothing was recorded" not in answer.text
    (following,) = [
        node.attributes["href"] or "" for node in LexborHTMLParser(answer.text).css("main a[href^='/next']")
    ]
    assert "category=ungrounded" in following
    onward = desk.get(following.replace("category=ungrounded&", ""), follow_redirects=False)
    assert onward.headers["location"].startswith(place(home, "rejected"))


def test_hostile_documents_are_text_on_every_page(desk: TestClient, home: Path) -> None:
    for address in ("/", place(home), place(home, "rejected")):
        answer = desk.get(address)
        html = LexborHTMLParser(answer.text)
        assert html.css("img, iframe, object, [onerror], [style]") == []
        scripts = [str(node.attributes.get("src")) for node in html.css("script")]
        assert scripts in ([], ["/static/review.js", "/static/original.js"])
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert HOSTILE in LexborHTMLParser(desk.get("/").text).body.text()  # type: ignore[union-attr]


def test_forms_of_others_are_refused(desk: TestClient, home: Path) -> None:
    address = place(home)
    given = {**form(desk, address, "/company"), "value": "X", "decision": "correct"}
    alien = {"origin": "http://evil.example"}
    assert desk.post(f"{address}/decide", data=given, headers=alien).status_code == 403
    assert desk.post(f"{address}/decide", data={**given, "csrf": "0" * 64}).status_code == 422
    assert desk.post(f"{address}/decide", data={"decision": "accept"}).status_code == 422
    assert desk.get("/", headers={"host": "evil.example"}).status_code == 400
    assert rows(home, "FROM reviews") == []


def test_a_place_that_is_none_is_refused(desk: TestClient, home: Path) -> None:
    address = place(home)
    given = {**form(desk, address, "/company"), "value": "7"}
    for pointer in ("", "x/total", "total", "/lines/-1", "/total/0", "//", "/" + "9" * 5000):
        for decision in ("correct", "absent"):
            sent = {**given, "pointer": pointer, "decision": decision}
            assert desk.post(f"{address}/decide", data=sent).status_code == 422, pointer
    assert rows(home, "FROM reviews") == []


@pytest.mark.parametrize("step", ["-1", "00", "2", "\u0660", "9" * 5000, ""])
def test_a_row_has_one_name(step: str) -> None:
    answer = {"lines": [{"amount": "1"}, {"amount": "2"}]}
    assert corrected(answer, "/lines/1/amount", "3") == {"lines": [{"amount": "1"}, {"amount": "3"}]}
    with pytest.raises(UsageError, match="has no place"):
        corrected(answer, f"/lines/{step}/amount", "3")


def test_a_form_of_very_many_fields_is_refused(desk: TestClient, home: Path) -> None:
    address = place(home)
    given = {**form(desk, address, "/company"), **{f"more{number}": "" for number in range(10_000)}}
    answer = desk.post(f"{address}/check", data=given)
    assert (answer.status_code, answer.json()["status"]) == (422, "refused")


def test_a_page_behind_the_queue_leads_back_to_it(desk: TestClient) -> None:
    answer = desk.get("/?schema=receipt%401&page=7")
    assert (answer.url.query, len(LexborHTMLParser(answer.text).css("tbody a"))) == (b"schema=receipt%401", 2)


def test_accepting_goes_on_from_here_and_not_to_what_was_skipped(desk: TestClient, home: Path) -> None:
    rejected = place(home, "rejected")
    given = {**form(desk, rejected, "/total"), "decision": "correct", "value": "9.99"}
    desk.post(f"{rejected}/decide", data=given)  # an answer now, though not a right one
    _, last = LexborHTMLParser(desk.get("/").text).css("tbody a")
    here = str(last.attributes["href"]).partition("?")[0]
    sent = {**form(desk, here, ""), "decision": "accept"}
    answer = desk.post(f"{here}/decide", data=sent, follow_redirects=False)
    assert answer.headers["location"] == "/?"


def test_read_only_records_nothing(open_desk: Callable[..., TestClient], home: Path) -> None:
    desk, address = open_desk(read_only=True), place(home)
    given = {**form(desk, address, "/company"), "value": "COMPANY 0007 SDN BHD", "decision": "correct"}
    assert desk.post(f"{address}/decide", data=given).status_code == 422
    assert "<button name" not in desk.get(address).text
    assert rows(home, "FROM reviews") == []


def test_a_token_opens_the_desk_once_it_is_a_cookie(open_desk: Callable[..., TestClient]) -> None:
    desk = open_desk(Access("ada", token="secret"))
    assert desk.get("/").status_code == 401
    assert desk.get("/?token=wrong").status_code == 401
    entered = desk.get("/?token=secret")
    assert (entered.status_code, entered.url.query) == (200, b"")
    assert desk.get("/").status_code == 200


def test_a_link_from_elsewhere_keeps_the_session_and_a_form_does_not(
    open_desk: Callable[..., TestClient],
) -> None:
    desk = open_desk(Access("ada", token="secret"))
    cookies = desk.get("/?token=secret", follow_redirects=False).headers.get_list("set-cookie")
    assert [one.partition("=")[0] for one in cookies] == ["assay_access", "assay_session"]
    assert all("HttpOnly" in one and one.endswith("SameSite=lax") for one in cookies)
    assert desk.get("/", headers={"sec-fetch-site": "cross-site"}).headers.get_list("set-cookie") == []


def test_a_proxy_names_the_user(open_desk: Callable[..., TestClient]) -> None:
    desk = open_desk(Access("ada", user_header="X-Forwarded-User"))
    assert desk.get("/").status_code == 401
    assert re.search(r"You are bob\b", desk.get("/", headers={"X-Forwarded-User": "bob"}).text)


@pytest.mark.parametrize(
    ("given", "who"),
    [
        (["J\u00fcrgen".encode()], "J\u00fcrgen"),
        (["J\u00fcrgen".encode("latin-1")], "J\u00fcrgen"),
        ([b"eve", b"bob"], None),
        ([b"  "], None),
        ([], None),
    ],
)
def test_a_proxy_names_one_user(given: list[bytes], who: str | None) -> None:
    access = Access("ada", user_header="X-User")
    request = HTTPRequest({"type": "http", "headers": [(b"x-user", one) for one in given]})
    if who is None:
        assert "named nobody" in str(access.refusal(request))
    else:
        assert (access.refusal(request), access.who(request)) == (None, who)


def test_what_is_not_there_is_told(desk: TestClient) -> None:
    assert desk.get("/document/x/y").status_code == 422
    assert desk.get("/static/app.py").status_code == 404
    assert desk.get("/next", follow_redirects=False).headers["location"].startswith("/document/")


def test_the_command_says_what_it_cannot_do(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(home))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for arguments, told in (
            (["--port", port], f"--port {port}: "),
            (["--host", "0.0.0.0"], "--host 0.0.0.0 needs --name"),
            (["--user-header", ""], "is no name of a header"),
            (["--user-header", "\u65e5"], "is no name of a header"),
            (["--name", "*"], "--name takes whole names"),
            (["--host", "192.0.2.1"], "192.0.2.1"),
            (["--name", "http://desk.example/"], "no host's name"),
        ):
            done = CliRunner().invoke(cli, ["review", *arguments])
            assert isinstance(done.exception, UsageError)
            assert told in str(done.exception), done.exception


@pytest.mark.parametrize(
    ("host", "code"), [("[::1]:8177", 200), ("localhost", 200), ("127.0.0.1.evil.example", 400)]
)
def test_only_its_own_names_reach_the_desk(home: Path, host: str, code: int) -> None:
    app = build(Desk(Warehouse(home), load_registry(None)), Access("ada"), names("127.0.0.1", []))
    assert TestClient(app, base_url=ADDRESS).get("/", headers={"host": host}).status_code == code


def attempt(home: Path) -> str:
    (row,) = rows(home, "SELECT attempt_id FROM extractions WHERE status = 'flagged'")
    return f"/attempt/{row['attempt_id']}"


def test_an_attempts_tokens_are_text(desk: TestClient, home: Path, model_dir: Path) -> None:
    html = LexborHTMLParser(desk.get(attempt(home)).text)
    told = "".join(node.text() for node in html.css(".token"))
    assert "SOMEBODY ELSE" in told
    first = html.css_first(".token")
    assert first is not None
    shown = {name: first.attributes[f"data-{name}"] for name in ("raw", "masked", "removed")}
    assert shown["masked"] == "0.500"
    assert html.css("img, [onerror], [style]") == []
    app = build(Desk(Warehouse(home), load_registry(None), model=model_dir), Access("ada"), ["127.0.0.1"])
    known = LexborHTMLParser(TestClient(app, base_url=ADDRESS).get(attempt(home)).text)
    fields = {node.attributes["data-field"] for node in known.css(".token")}
    assert {"/company", "/total"} <= fields
    assert desk.get("/attempt/nothing").status_code == 422

"""Every number of the desk's pages: its documents are as many, and its SQL gives it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from flows.review.app import build
from flows.review.desk import Desk
from flows.review.guard import Access
from schemas.registry import load as load_registry
from tests.desk.serving import pages, rows
from warehouse.store import Warehouse

FIGURES = ("runs", "failures", "differences", "fixed", "evaluations", "evaluation", "inputs", "documents")


def looking(home: Path) -> TestClient:
    app = build(Desk(Warehouse(home), load_registry(None)), Access("ada"), ["127.0.0.1"])
    return TestClient(app, base_url="http://127.0.0.1:8177")


@pytest.fixture(scope="module")
def client(home: Path) -> TestClient:
    return looking(home)


def numbers(client: TestClient, address: str) -> Iterator[tuple[int, str]]:
    """Each number that is a link to its documents, and where it leads."""
    for link in LexborHTMLParser(client.get(address).text).css("main a[href^='/documents']"):
        text = re.match(r"[\d,]+(?=\D|$)", link.text())
        if text and link.css_first(".unseen"):
            yield int(text[0].replace(",", "")), link.attributes["href"] or ""


@pytest.mark.parametrize("page", ["runs", "failures"])
def test_a_number_leads_to_that_many_documents(client: TestClient, home: Path, page: str) -> None:
    found = list(numbers(client, pages(home)[page]))
    assert len(found) > 5
    for number, address in found:
        html = LexborHTMLParser(client.get(address).text)
        assert len(html.css("tbody th a")) == number, address
        assert html.css_first("h1").text().split()[0] == str(number)  # type: ignore[union-attr]
    count, listed = (rows(home, code.text()) for code in html.css("details.sql code"))
    assert count == [{"documents": number}]
    assert len(listed) == number


@pytest.mark.parametrize("page", FIGURES)
def test_the_sql_that_is_shown_gives_what_the_page_shows(client: TestClient, home: Path, page: str) -> None:
    html = LexborHTMLParser(client.get(pages(home)[page]).text)
    asked = [code.text() for code in html.css("details.sql code")]
    for box in html.css("details.sql"):
        box.decompose()
    shown = unescape(html.css_first("main").html or "")  # type: ignore[union-attr]
    assert asked
    for sql in asked:
        answer = rows(home, sql)
        assert answer, sql
        for row in answer:
            for name in {"run_id", "category", "uri", "pointer", "inputs", "labels"} & set(row):
                assert str(row[name] or "") in shown, (name, row[name])
            if row.get("documents"):
                assert re.search(rf">{row['documents']}[ <]", shown), row


def test_shares_of_an_evaluation_come_from_its_inputs(client: TestClient, home: Path) -> None:
    html = LexborHTMLParser(client.get(pages(home)["evaluation"]).text)
    links = html.css("tbody td a")
    assert len(links) > 20
    for link in links[:: len(links) // 5]:
        told = LexborHTMLParser(client.get(link.attributes["href"] or "").text)
        share = re.search(r"[\d.]+ %", link.text())
        assert share
        assert told.css_first("h1").text().endswith(share[0])  # type: ignore[union-attr]
        (row,) = rows(home, told.css_first("details.sql code").text())  # type: ignore[union-attr]
        assert f"{100 * row['value']:.1f} %" == share[0]


def test_a_filter_is_a_literal_and_nothing_else(client: TestClient, home: Path) -> None:
    attack = "' OR 1=1; DROP TABLE runs; --"
    html = LexborHTMLParser(client.get("/documents", params={"category": attack}).text)
    assert html.css_first("h1").text() == "0 documents"  # type: ignore[union-attr]
    sql = html.css_first("details.sql code").text()  # type: ignore[union-attr]
    assert rows(home, sql) == [{"documents": 0}]
    assert "'' OR 1=1" in sql


@pytest.mark.parametrize(
    "name",
    [
        *(
            "../warehouse.duckdb",
            "..%2fwarehouse.duckdb",
            "%2e%2e/warehouse.duckdb",
            "run-x.html",
            "other.html",
        ),
        *("quality/../run-x.html", "linked.html", "evaluation-linked.html", ".html", "run-%00.html"),
    ],
)
def test_no_other_file_is_served(tmp_path: Path, name: str) -> None:
    reports = tmp_path / "reports"
    reports.mkdir()
    for path in (reports / "other.html", tmp_path / "secret.html", tmp_path / "warehouse.duckdb"):
        path.write_text("secret")
    (reports / "evaluation-linked.html").symlink_to(tmp_path / "secret.html")
    (reports / "run-own.html").write_text("own")
    found = looking(tmp_path)
    answer = found.get(f"/reports/{name}")
    assert answer.status_code in (404, 422)
    assert "secret" not in answer.text
    assert found.get("/reports/run-own.html").text == "own"


def test_pages_of_reports_are_in_a_sandbox(client: TestClient, home: Path) -> None:
    for name in ("report", "evaluation's page"):
        answer = client.get(pages(home)[name])
        assert answer.status_code == 200
        policies = answer.headers.get_list("content-security-policy")
        assert len(policies) == 1
        assert policies[0].startswith("sandbox allow-scripts; default-src 'none'; ")
        assert "allow-same-origin" not in policies[0]
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_there_is_something_to_see_before_any_run(tmp_path: Path) -> None:
    client = looking(tmp_path / "home")
    for address in ("/", "/runs", "/failures", "/documents", "/differences", "/evaluations"):
        assert client.get(address).status_code == 200, address

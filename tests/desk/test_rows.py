"""A row added, filled by selecting text, and another removed, by keyboard, in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from scripts.served import served
from tests.browser import Watch
from tests.desk.hands import SELECT, field, go_to
from tests.desk.serving import place, rows
from tests.desk.test_every_page import violations
from tests.flows.bills import LINES, build, line

FOCUS = "document.activeElement"


@pytest.fixture(scope="module")
def bills(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with an invoice and an agreement; each test has one of them."""
    return build(tmp_path_factory.mktemp("bills") / "home").home


@pytest.fixture(scope="module")
def address(bills: Path) -> Iterator[str]:
    with served(bills) as found:
        yield found


@pytest.fixture
def watch(browser: Browser, address: str) -> Iterator[Watch]:
    found = Watch(browser.new_page(base_url=address))
    yield found
    assert found.outside(address) == []
    assert found.told == []
    found.page.close()


def focus(page: Page) -> str:
    """What has the focus, as a screen reader names it."""
    told: str = page.evaluate(f"({FOCUS}.labels ? {FOCUS}.labels[0] ?? {FOCUS} : {FOCUS}).textContent")
    return " ".join(told.split())


def put_in(page: Page, text: str) -> None:
    """Select a text in the source, and correct the active field with it."""
    page.evaluate(SELECT, text)
    page.evaluate(f"{FOCUS}.blur()")  # a mouse that selects takes the focus away
    page.keyboard.press("c")
    expect(page.locator(".card.active .checked")).to_contain_text("This would be")
    with page.expect_navigation():
        page.keyboard.press("Enter")


def pressed(page: Page, *keys: str) -> None:
    """Press keys, of which the last one records something."""
    for key in keys[:-1]:
        page.keyboard.press(key)
    with page.expect_navigation():
        page.keyboard.press(keys[-1])
    expect(page.locator("body")).to_have_attribute("data-ready", str(page.evaluate("active")))


def test_a_row_is_added_filled_and_another_removed_by_keyboard(watch: Watch, bills: Path) -> None:
    page = watch.page
    page.goto(place(bills, "a"))
    go_to(page, "/lines/0/name")
    pressed(page, "+", "Enter")
    assert focus(page) == "/lines/3/name null"
    put_in(page, "Yeast")
    assert field(page) == "/lines/3/quantity"
    go_to(page, "/lines/3/line_total")
    put_in(page, "1.00")
    go_to(page, "/lines/1/name")
    page.keyboard.press("-")
    assert focus(page) == "Remove this row: /lines/1"
    pressed(page, "Enter")
    assert focus(page) == "/lines/1/name verbatim"
    assert page.evaluate(f"{FOCUS}.value") == "Salt"
    page.keyboard.press("Escape")
    go_to(page, "/seller")
    pressed(page, "+", "Enter")
    assert focus(page) == "/seller/name null"
    assert violations(page) == []
    expect(page.locator("main")).to_contain_text("removed /lines/1 by ada")
    right = [LINES[0], LINES[2], line("Yeast", "1.00")]
    sql = "SELECT value::VARCHAR AS value FROM current WHERE schema = 'invoice@2'"
    assert json.loads(rows(bills, sql)[0]["value"])["lines"] == right
    assert newest(bills) == {"/lines": right, "/seller": {}}


def newest(home: Path) -> dict[str, Any]:
    """What the labels say of each place of the invoice."""
    sql = "SELECT pointer, value::VARCHAR AS value FROM labels WHERE schema = 'invoice@2' ORDER BY label_id"
    return {row["pointer"]: json.loads(row["value"]) for row in rows(home, sql)}


def test_a_row_that_is_a_value_gets_it_from_the_source(watch: Watch, bills: Path) -> None:
    page = watch.page
    page.goto(place(bills, "b"))
    go_to(page, "/parties")
    assert violations(page) == []
    put_in(page, "Mill Ltd")
    assert focus(page) == "/parties/0 verbatim"
    pressed(page, "Escape", "-", "Enter")
    assert focus(page) == "/parties/0 to be given"

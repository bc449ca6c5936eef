"""What a person does not mean at the desk: a key that stays down, a second click, keys for who dictates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.desk.hands import field, go_to
from tests.desk.serving import place, rows

NAME = "failing-contradictory-totals.txt"
TWICE = "(button) => { button.click(); setTimeout(() => button.click(), 100); }"
DECIDED = "SELECT decision, pointer FROM reviews"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_a_key_that_stays_down_moves_on_and_decides_once(page: Page, own_desk: str, own_home: Path) -> None:
    page.goto(own_desk + place(own_home, NAME))
    started = field(page)
    page.keyboard.down("j")
    page.keyboard.down("j")
    page.keyboard.up("j")
    page.keyboard.press("k")
    assert field(page) != started
    with page.expect_navigation():
        page.keyboard.down("a")
    expect(page.locator("body")).to_have_attribute("data-ready", str(page.evaluate("active")))
    for _ in range(3):
        page.keyboard.down("a")
    page.reload()
    assert [row["decision"] for row in rows(own_home, DECIDED)] == ["accepted"]


def test_a_second_click_sends_nothing(page: Page, own_desk: str, own_home: Path) -> None:
    sent = []

    def slowly(route: Route) -> None:
        sent.append(route.request.url)
        page.wait_for_timeout(300)
        route.continue_()

    page.route("**/decide*", slowly)
    page.goto(own_desk + place(own_home, NAME))
    go_to(page, "/seller")
    page.locator(".card.active input[name=value]").fill("Orchard Web Design")
    page.locator(".card.active button[value=correct]").evaluate(TWICE)
    expect(page.locator("main")).to_contain_text("corrected /seller by ada")
    assert len(sent) == 1


def test_single_keys_can_be_turned_off_and_places_have_a_button(page: Page, desk: str, home: Path) -> None:
    page.goto(desk + place(home, "quiet.txt"))
    go_to(page, "/lines/0/amount")
    button = page.get_by_role("button", name="Place 1 of 2")
    button.press("Enter")
    expect(page.locator(".card.active .places")).to_have_text("Place 2 of 2")
    expect(page.locator("#place-told")).to_have_text("Place 2 of 2: 10.00")
    page.get_by_label("Single keys").uncheck()
    page.locator("h1").click()
    page.keyboard.press("k")
    page.reload()  # it stays so
    page.keyboard.press("j")
    assert page.evaluate("active") == int(page.locator("body").get_attribute("data-ready") or "")


@pytest.mark.parametrize("size", [(1280, 600), (400, 700)])
def test_the_source_stays_in_sight_beside_each_field(
    page: Page, desk: str, home: Path, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(desk + place(home, NAME))
    go_to(page, "/invoice_number")
    seen = 0
    for _ in range(page.locator(".card").count()):
        if page.locator("mark.here").count():
            expect(page.locator("mark.here")).to_be_in_viewport(ratio=1)
            seen += 1
        expect(
            page.locator(".card.active input:not([type=hidden]), .card.active button").first
        ).to_be_in_viewport()
        page.keyboard.press("j")
    assert seen > 7

"""What a person does at the desk, in a real browser, from the queue to the label."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser import Watch
from tests.desk.hands import LIT, SELECT, field, go_to
from tests.desk.serving import place, rows

NAME = "failing-contradictory-totals.txt"
HERE = (
    "[...document.querySelectorAll('mark')].flatMap((one, at) => one.classList.contains('here') ? [at] : [])"
)


def test_from_the_queue_to_a_label(browser: Browser, own_desk: str, own_home: Path) -> None:
    watch = Watch(browser.new_page())
    page = watch.page
    page.goto(own_desk)
    page.get_by_role("link", name=NAME).click()
    expect(page.locator("body")).to_have_attribute("data-ready", "2")  # the first field with a finding
    assert field(page) == "/seller"
    go_to(page, "/currency")
    assert page.evaluate(LIT) == ["EUR"]
    page.locator("mark", has_text="150.00").click()
    assert field(page) == "/lines/1/amount"
    assert page.evaluate(LIT) == ["150.00"]
    go_to(page, "/seller")
    page.evaluate(SELECT, "Orchard Web Design")
    page.keyboard.press("c")
    expect(page.locator(".card.active .checked")).to_contain_text("This would be flagged.")
    assert page.evaluate("document.activeElement.value") == "Orchard Web Design"
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("corrected /seller by ada")
    assert watch.outside(own_desk) == []
    assert watch.told == []
    page.close()
    current = """SELECT value->>'seller' AS seller, reviewed_by
        FROM current JOIN documents USING (document_id) WHERE contains(documents.uri, 'contradictory')"""
    assert rows(own_home, current) == [{"seller": "Orchard Web Design", "reviewed_by": "ada"}]
    labels = """SELECT pointer, value::VARCHAR AS value, before::VARCHAR AS before, who FROM labels
        WHERE source = 'review'"""
    assert rows(own_home, labels) == [
        {"pointer": "/seller", "value": '"Orchard Web Design"', "before": '"Somebody Else"', "who": "ada"}
    ]


def test_what_is_selected_over_two_lines_keeps_its_words_apart(
    browser: Browser, desk: str, home: Path
) -> None:
    page = browser.new_page()
    page.goto(desk + place(home, NAME))
    go_to(page, "/seller")
    page.evaluate(SELECT, "Web Design\nINVOICE")
    page.keyboard.press("c")
    assert page.evaluate("document.activeElement.value") == "Web Design INVOICE"
    page.close()


def test_the_other_places_of_a_text_are_stepped_through(browser: Browser, desk: str, home: Path) -> None:
    page = browser.new_page()
    page.goto(desk + place(home, "quiet.txt"))
    go_to(page, "/lines/0/amount")
    seen = [page.evaluate(HERE)]
    for _ in range(2):
        page.keyboard.press("o")
        seen.append(page.evaluate(HERE))
    assert seen[0] != seen[1]
    assert seen[2] == seen[0]  # "10.00" stands there twice
    page.close()


def test_an_attempt_is_played_token_by_token(browser: Browser, desk: str, home: Path) -> None:
    page = browser.new_page()
    page.goto(desk + place(home, NAME))
    page.get_by_role("link", name="token by token").click()
    expect(page.locator("body")).to_have_attribute("data-ready", str(page.locator(".token").count()))
    count, number = page.locator(".token").count(), page.locator("#told-number")
    assert count > 50
    page.locator("#tokens").focus()
    page.keyboard.press("Home")
    expect(number).to_have_text(f"1 of {count}")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(number).to_have_text(f"2 of {count}")
    assert page.locator(".token.later").count() == count - 2
    page.locator(".token", has_text="Orchard").or_(page.locator(".token").nth(30)).first.click()
    expect(page.locator("#told-raw")).to_have_text("0.900")
    shades = page.evaluate("getComputedStyle(document.querySelector('.token.m4')).backgroundColor")
    page.locator("#shade").select_option("surprise")
    assert page.evaluate("getComputedStyle(document.querySelector('.token.m4')).backgroundColor") != shades
    page.keyboard.press("End")
    page.close()


def test_the_report_opens_from_disk(browser: Browser, home: Path) -> None:
    reports = sorted((home / "reports").glob("run-*.html"))
    assert len(reports) == 3
    watch = Watch(browser.new_page())
    for report in reports:
        watch.page.goto(report.as_uri())
        expect(watch.page.locator("h1")).to_contain_text("Run of ")
    assert watch.outside("file://") == []
    assert len(watch.asked) == len(reports)
    assert watch.told == []
    watch.page.close()


def test_figures_are_walked_by_keyboard_and_their_sql_copied(browser: Browser, desk: str) -> None:
    context = browser.new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{desk}/runs")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    page.get_by_text("The SQL behind it").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Copy").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()").startswith("FROM run_summary ORDER BY run_id DESC")
    context.close()

"""The demo's receipts, extracted with the real model, looked at and put right in a real browser."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from scripts.served import served
from tests.browser import Watch, chromium
from tests.desk.hands import LIT, SELECT, field, go_to
from tests.desk.serving import rows

# A receipt that waits for a person, and a place of it that the desk can light up: what the model says is not
# ours to know before.
FOUND = """
SELECT document_id, uri, text, pointer, substring(text, span_start + 1, span_end - span_start) AS printed
FROM current JOIN documents USING (document_id) JOIN fields USING (run_id, document_id)
WHERE status = 'flagged' AND span_start IS NOT NULL AND media_type = 'text/plain'
ORDER BY uri, pointer LIMIT 1
"""
STANDS = "SELECT value->>'company' AS company, reviewed_by FROM current WHERE reviewed_by IS NOT NULL"
LABELS = "SELECT pointer, value::VARCHAR AS value, who FROM labels WHERE source = 'review'"


@pytest.fixture(scope="module")
def home(root: Path, model_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home that the demo's second extraction leaves."""
    home = tmp_path_factory.mktemp("demo") / "home"
    done = subprocess.run(
        [sys.executable, "-m", "flows.cli", "extract", "demo/receipts", "--schema", "receipt@1"],
        cwd=root,
        env={**os.environ, "ASSAY_HOME": str(home), "ASSAY_MODEL": str(model_dir)},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return home


@pytest.mark.slow
def test_the_demo_is_looked_at_and_put_right(home: Path, model_dir: Path) -> None:
    (found,) = rows(home, FOUND)
    first_line = found["text"].splitlines()[0]
    with served(home, model_dir) as desk, chromium() as browser:
        watch = Watch(browser.new_page())
        watch.page.goto(f"{desk}/?schema=receipt%401")
        watch.page.get_by_role("link", name=Path(found["uri"]).name).click()
        _light_up(watch.page, found["pointer"], found["printed"])
        _put_right(watch.page, first_line)
        _play(watch.page)
        (report,) = (home / "reports").glob("run-*.html")
        watch.page.goto(report.as_uri())
        expect(watch.page.locator("h1")).to_contain_text("Run of ")
    assert watch.outside(desk, "file://") == []
    assert watch.told == []
    assert rows(home, STANDS) == [{"company": first_line, "reviewed_by": "ada"}]
    assert rows(home, LABELS) == [{"pointer": "/company", "value": f'"{first_line}"', "who": "ada"}]


def _light_up(page: Page, pointer: str, printed: str) -> None:
    expect(page.locator("body")).to_have_attribute("data-ready", re.compile(r"\d"))
    go_to(page, pointer)
    assert "".join(page.evaluate(LIT)) == printed


def _put_right(page: Page, text: str) -> None:
    go_to(page, "/company")
    page.evaluate(SELECT, text)
    page.keyboard.press("c")
    expect(page.locator(".card.active .checked")).to_be_visible()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("corrected /company by ada")
    assert field(page)


def _play(page: Page) -> None:
    page.get_by_role("link", name="token by token").click()
    count = page.locator(".token").count()
    expect(page.locator("body")).to_have_attribute("data-ready", str(count))
    page.locator("#tokens").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#told-number")).to_have_text(f"2 of {count}")
    assert page.locator(".token.later").count() == count - 2

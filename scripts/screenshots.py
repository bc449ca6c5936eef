"""Pictures of each page over the demo's warehouse, for the README: `python -m scripts.screenshots`.

Takes what `make demo` left under ASSAY_HOME, and adds what the demo has not: a second run over the receipts,
to compare with, an evaluation of both, and one attempt's likeliest tokens. Writes docs/screenshots/*.png.
Needs Chromium as Debian has it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from extractors.model import NAME
from flows.output import note
from flows.settings import load
from schemas.errors import AssayError, UsageError
from scripts.served import served
from warehouse.store import Warehouse

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "screenshots"
WIDTH, HEIGHT = 1200, 800
# The field whose place is the third, and the token that the mask pressed most.
CHOOSE = """() => {
  const removed = (one) => Number(one.dataset.removed) || 0;
  const tokens = [...document.querySelectorAll(".token")];
  const pressed = tokens.reduce((most, one) => (removed(one) > removed(most) ? one : most), tokens[0]);
  const chosen = pressed || document.querySelector("#source mark:nth-of-type(3)");
  if (chosen) chosen.click();
}"""
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_RUNS = "SELECT run_id FROM runs WHERE schema = 'receipt@1' AND status = 'finished' ORDER BY run_id"
# The flagged document with the most values that stand in its text, and an attempt that the mask pressed.
_DOCUMENT = """
SELECT run_id, document_id, attempt_id FROM current JOIN fields USING (run_id, document_id)
WHERE current.status = 'flagged' AND attempt_id IS NOT NULL
GROUP BY ALL ORDER BY count(span_start) DESC, document_id LIMIT 1
"""
_ATTEMPT = """
SELECT attempt_id FROM attempts JOIN runs USING (run_id) WHERE chosen AND schema = 'invoice@1'
ORDER BY mean_removed_mass DESC NULLS LAST, output_tokens DESC, attempt_id LIMIT 1
"""
_KNOWN = "SELECT 1 FROM likelihoods WHERE attempt_id = $attempt LIMIT 1"
_NEWEST = "SELECT evaluation_id FROM evaluation_orders ORDER BY evaluation_id DESC LIMIT 1"


def prepare(warehouse: Warehouse) -> None:
    """What the demo has not. Raises UsageError where there was no demo, CalledProcessError where it fails."""
    if not warehouse.database.exists() or not ask(warehouse, _RUNS):
        raise UsageError(f"no demo was run into {warehouse.home} yet: `make demo` first")
    if len(ask(warehouse, _RUNS)) < 2:
        assay(
            "extract",
            "demo/receipts",
            "--schema",
            "receipt@1",
            "--decoding",
            "guided-sampled",
            "--scoring",
            "all",
        )
    attempt = one(warehouse, _ATTEMPT)
    if not warehouse.query(_KNOWN, {"attempt": attempt["attempt_id"]}).num_rows:
        assay("trace", attempt["attempt_id"], "--probabilities")
    if not ask(warehouse, _NEWEST):
        runs = [row["run_id"] for row in ask(warehouse, _RUNS)]
        assay("evaluate", "demo/receipts-labels.jsonl", "--from", *runs)
    assay("report", ask(warehouse, _RUNS)[-1]["run_id"])


def assay(*arguments: str) -> None:
    """One command of Assay, as a person would give it."""
    print(f"$ assay {' '.join(arguments)}", flush=True)
    subprocess.run([sys.executable, "-m", "flows.cli", *arguments], cwd=ROOT, check=True)


def ask(warehouse: Warehouse, sql: str) -> list[dict[str, Any]]:
    """Rows of a question."""
    found: list[dict[str, Any]] = warehouse.query(sql).to_pylist()
    return found


def one(warehouse: Warehouse, sql: str) -> dict[str, Any]:
    """The first row of a question. Raises UsageError where what `make demo` leaves is not there."""
    rows = ask(warehouse, sql)
    if not rows:
        raise UsageError(f"{warehouse.home} does not hold what `make demo` leaves: {sql.strip()} has no row")
    return rows[0]


def pages(warehouse: Warehouse) -> Iterator[tuple[str, str]]:
    """The name of each picture, and the address of its page."""
    document, attempt = one(warehouse, _DOCUMENT), one(warehouse, _ATTEMPT)
    evaluation = one(warehouse, _NEWEST)
    old, new = (row["run_id"] for row in ask(warehouse, _RUNS)[-2:])
    yield "queue", "/"
    yield "document", f"/document/{document['run_id']}/{document['document_id']}"
    yield "tokens", f"/attempt/{attempt['attempt_id']}"
    yield "runs", "/runs"
    yield "failures", "/failures?schema=invoice%401"
    yield "differences", f"/differences?a={old}&b={new}&change=changed"
    yield "evaluation", f"/reports/evaluation-{evaluation['evaluation_id']}.html"
    yield "report", f"/reports/run-{new}.html"


def take(browser: Browser, address: str, target: Path) -> None:
    """One picture of what a window shows of a page, with something of it chosen where there is a choice."""
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
    page.goto(address)
    settle(page)
    page.evaluate(CHOOSE)
    page.evaluate("scrollTo(0, 0)")  # what is active was brought into sight
    height = page.evaluate("Math.ceil(document.body.getBoundingClientRect().bottom)")
    page.screenshot(path=target, clip={"x": 0, "y": 0, "width": WIDTH, "height": min(height, HEIGHT)})
    page.close()


def settle(page: Page) -> None:
    """Wait until a page's scripts have drawn what they draw."""
    page.wait_for_load_state("networkidle")
    if page.locator("#figures").count():
        page.wait_for_function("document.body.dataset.drawn")


def main() -> int:
    """All pictures. Exit 2 where something is missing."""
    settings = load()
    warehouse = Warehouse(settings.home)
    path = next(filter(None, map(shutil.which, _BROWSERS)), None)
    try:
        if path is None:
            raise UsageError("there is no Chromium here: `apt-get install chromium`")
        prepare(warehouse)
        addresses = list(pages(warehouse))
    except AssayError as error:
        note(f"screenshots: {error}")
        return 2
    TARGET.mkdir(parents=True, exist_ok=True)
    with served(settings.home, settings.models / NAME, "ada") as desk, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name, address in addresses:
            take(browser, desk + address, TARGET / f"{name}.png")
            print(f"{name}.png: {(TARGET / f'{name}.png').stat().st_size // 1024} KB", flush=True)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

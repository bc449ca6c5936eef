"""Every page: nothing of a hostile document acts on it, axe finds nothing, and it can be narrow."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import Watch
from tests.desk.hostile import ATTACK, NAME
from tests.desk.serving import pages

SCRIPT = files("axe_playwright_python").joinpath("axe.min.js").read_text()
# What is in the tree though it must not be: a handler, an address that is a script, a part from elsewhere.
ACTIVE = """() => [...document.querySelectorAll('*')].filter((node) =>
  [...node.attributes].some((one) => one.name.startsWith('on') || /^\\s*javascript:/i.test(one.value))
  || ['IFRAME', 'OBJECT', 'EMBED', 'BASE'].includes(node.tagName)
  || (node.tagName === 'IMG' && !node.src.startsWith(location.origin))).map((node) => node.outerHTML)"""


# A page in the dark is the same tree in other colours. The plots of an evaluation are Plotly's own matter.
AXE = "(options) => axe.run({ exclude: [['.js-plotly-plot']] }, options).then((found) => found.violations)"
_ONLY = {"resultTypes": ["violations"]}
SCHEMES: dict[str, Any] = {"light": _ONLY, "dark": {"runOnly": ["color-contrast"], **_ONLY}}


@pytest.fixture(scope="module")
def watch(browser: Browser) -> Iterator[Watch]:
    context = browser.new_context()
    yield Watch(context.new_page())
    context.close()


@pytest.fixture(scope="module")
def addresses(desk: str, home: Path) -> dict[str, str]:
    """Every page, those on disk too."""
    on_disk = {f"{path.name[:10]} from disk": path.as_uri() for path in (home / "reports").glob("*.html")}
    return {**{name: desk + address for name, address in pages(home).items()}, **on_disk}


def acts(watch: Watch, desk: str) -> dict[str, Any]:
    """What a page did that only a script or a part of a document would have made it do."""
    told = [one for one in watch.told if "422" not in one]  # the page that says what cannot be done
    found = {
        "told": told,
        "asked": watch.outside(desk, "file://", "data:", "blob:"),
        "active": watch.page.evaluate(ACTIVE),
        "taken": "taken" in watch.page.title() and "<script" not in watch.page.title(),
    }
    return {what: one for what, one in found.items() if one}


def violations(page: Page) -> list[Any]:
    """What axe finds, in the light and then in the dark."""
    page.evaluate(SCRIPT)
    found = []
    for scheme, options in SCHEMES.items():
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        found += [
            (scheme, one["id"], [node["html"][:150] for node in one["nodes"][:3]])
            for one in page.evaluate(AXE, options)
        ]
    return found


def sideways(page: Page) -> int:
    """How far a page scrolls to the side at 320 pixels, which is a zoom of 400 % (WCAG 2.2, 1.4.10)."""
    wide = page.viewport_size or {"width": 1280, "height": 720}
    page.set_viewport_size({"width": 320, "height": 640})
    found = 1
    for _ in range(10):  # plots are drawn anew after a while
        found = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if found <= 0:
            break
        page.wait_for_timeout(200)
    page.set_viewport_size(wide)
    return found


def test_every_page_is_free_of_acts_and_of_what_axe_finds(
    watch: Watch, addresses: dict[str, str], desk: str
) -> None:
    found, seen = {}, []
    for name, address in addresses.items():
        watch.asked.clear()
        watch.told.clear()
        watch.page.goto(address)
        wrong = {**acts(watch, desk), "sideways": sideways(watch.page)}
        wrong["axe"] = [] if "file:" in address else violations(watch.page)
        if any(wrong.values()):
            found[name] = wrong
        if {one for one in (ATTACK[:40], NAME) if one in watch.page.inner_text("body")}:
            seen.append(name)
    assert not found
    assert {"hostile txt", "report", "hostile original txt"} <= set(seen)  # it was there to act

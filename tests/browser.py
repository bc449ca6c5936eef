"""A real browser without a window, Chromium as Debian packages it, driven through Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Error, Page, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser. Skips where there is none.

    While it is open its event loop counts as running in this thread: no asynchronous test may run meanwhile.
    """
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        pytest.skip("no Chromium here")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Watch:
    """What a page did: the addresses that it asked for, and what a script showed, threw or was refused."""

    page: Page
    asked: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("dialog", self._dialog)
        self.page.on("pageerror", self._error)
        self.page.on("console", self._console)

    def outside(self, *own: str) -> list[str]:
        """Asked for beyond the addresses that begin so."""
        return [url for url in self.asked if not url.startswith(own)]

    def _dialog(self, dialog: Dialog) -> None:
        self.told.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _error(self, error: Error) -> None:
        self.told.append(f"error: {error}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.told.append(f"console: {message.text}")


def drawn(path: Path, until: str = "true") -> tuple[str, list[str]]:
    """A page from disk: its DOM once `until` (JavaScript) is true, and what else it asked for."""
    with chromium() as browser:
        watch = Watch(browser.new_page())
        watch.page.goto(path.resolve().as_uri())
        watch.page.wait_for_function(until, timeout=60_000)
        return watch.page.content(), watch.outside(path.resolve().as_uri(), "data:", "blob:")

"""The pictures of the README: taken of pages that are there, small, and named where they are shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from schemas.errors import UsageError
from scripts.screenshots import pages, prepare, take
from tests.conftest import ROOT
from warehouse.store import Warehouse

MOST = 1_500_000
"""Bytes of all pictures together."""


def test_each_page_is_there_and_a_picture_is_taken(
    browser: Browser, desk: str, home: Path, tmp_path: Path
) -> None:
    found = dict(pages(Warehouse(home)))
    assert set(found) == {path.stem for path in (ROOT / "docs" / "screenshots").glob("*.png")}
    page = browser.new_page()
    for name, address in found.items():
        answer = page.request.get(desk + address)
        assert answer.ok, name
    page.close()
    take(browser, desk + found["document"], tmp_path / "document.png")
    width, height = (int.from_bytes((tmp_path / "document.png").read_bytes()[at : at + 4]) for at in (16, 20))
    assert width == 1200
    assert 100 < height <= 800


def test_pictures_are_small_and_shown_with_words() -> None:
    assert sum(path.stat().st_size for path in (ROOT / "docs" / "screenshots").glob("*.png")) < MOST
    shown = re.findall(r"!\[([^\]]+)\]\(([^)]+)\)", (ROOT / "README.md").read_text())
    assert len(shown) >= 2
    for words, path in shown:
        assert len(words) > 40
        assert (ROOT / path).is_file()


def test_without_a_demo_there_is_nothing_to_take(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="make demo"):
        prepare(Warehouse(tmp_path))

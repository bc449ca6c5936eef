"""One warehouse and one served desk for all tests that only look, one browser for all."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from scripts.served import served
from tests.browser import chromium
from tests.conftest import ROOT
from tests.desk.night import build


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory, model_dir: Path) -> Path:
    """The warehouse's home; no test writes into it."""
    return build(tmp_path_factory.mktemp("desk"), model_dir, ROOT / "demo").home


@pytest.fixture(scope="package")
def desk(home: Path, model_dir: Path) -> Iterator[str]:
    """The address of a desk over it."""
    with served(home, model_dir) as address:
        yield address


@pytest.fixture
def own_home(home: Path, tmp_path: Path) -> Path:
    """A copy that a test may write into."""
    return Path(shutil.copytree(home, tmp_path / "home"))


@pytest.fixture
def own_desk(own_home: Path, model_dir: Path) -> Iterator[str]:
    """The address of a desk over that copy."""
    with served(own_home, model_dir) as address:
        yield address


@pytest.fixture(scope="package")
def browser(home: Path) -> Iterator[Browser]:
    """The browser. It is closed before other folders' tests, of which some are asynchronous.

    The warehouse is made before it is opened: a run is asynchronous, too.
    """
    with chromium() as found:
        yield found

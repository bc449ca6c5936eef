"""Real records and real databases for the warehouse's tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from warehouse.store import Warehouse


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of this version with nothing in it: making one takes longer than most tests do."""
    made = Warehouse(tmp_path_factory.mktemp("empty"))
    made.query("SELECT 1")
    return made.database


@pytest.fixture
def unmade(tmp_path: Path) -> Warehouse:
    """A warehouse without a database yet, with little patience for locks."""
    return Warehouse(tmp_path / "home", wait_s=5.0)


@pytest.fixture
def warehouse(unmade: Warehouse, empty_database: Path) -> Warehouse:
    """An empty warehouse, with little patience for locks."""
    unmade.home.mkdir()
    shutil.copyfile(empty_database, unmade.database)
    return unmade

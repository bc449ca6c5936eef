"""Real records and real databases for the warehouse's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from warehouse.store import Warehouse


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """An empty warehouse, with little patience for locks."""
    return Warehouse(tmp_path / "home", wait_s=5.0)

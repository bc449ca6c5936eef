"""What the lander of a spread run counts, where its workers are lost before they can say what they did."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from flows.progress import Display, Tally
from flows.settings import Settings
from schemas.records import Outcome
from tests.warehouse.samples import document, extraction
from warehouse.store import Warehouse

if TYPE_CHECKING:
    from flows.runner.lander import Lander

pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="the `ray` extra is not installed")
RUN = "01890000-0000-7000-8000-000000000000"


def begun(folder: Path, documents: int) -> tuple[Warehouse, Display, Lander]:
    """A run over so many documents, of which nothing came yet."""
    from flows.runner.lander import Lander

    warehouse, display = Warehouse(folder), Display(Tally(documents), Console(quiet=True), None)
    return warehouse, display, Lander(warehouse, RUN, Settings(home=folder), display)


def staged(warehouse: Warehouse, shard_id: str, *names: str) -> list[Outcome]:
    """Stage a shard as a worker does; what it would say of it."""
    done = [extraction(name, RUN) for name in names]
    warehouse.stage(shard_id, RUN, [document(name) for name in names], done)
    return [one.outcome for one in done]


def test_a_shard_that_was_staged_before_its_worker_was_lost_is_counted_and_not_done_again(
    tmp_path: Path,
) -> None:
    warehouse, display, lander = begun(tmp_path, 5)
    lander.expect("run-0", 2)
    lander.expect("run-1", 3)
    assert not lander.came("run-0")
    staged(warehouse, "run-0", "a", "b")
    assert lander.came("run-0")
    assert not lander.came("run-1")
    assert (display.tally.done, display.tally.expected) == (2, 5)


def test_a_divided_shard_is_counted_by_its_parts_also_where_its_lost_worker_stages_it_after_all(
    tmp_path: Path,
) -> None:
    warehouse, display, lander = begun(tmp_path, 3)
    lander.expect("run-0", 3)
    lander.instead("run-0", {"run-0-00": 2, "run-0-01": 1})
    whole = staged(warehouse, "run-0", "a", "b", "c")
    lander.count("run-0", whole)
    assert not lander.came("run-0-00")
    assert display.tally.done == 0
    lander.count("run-0-00", staged(warehouse, "run-0-00", "a", "b"))
    lander.count("run-0-01", staged(warehouse, "run-0-01", "c"))
    assert (display.tally.done, display.tally.expected) == (3, 3)

"""What an order may ask beside its source: a kind, blobs of its own, and doing again what is done."""

from dataclasses import replace
from pathlib import Path

import pytest

from extractors.storage import list_blobs
from flows.order import Order
from flows.settings import Settings
from tests.flows.fake_engine import receipt
from tests.flows.nights import carried
from warehouse.store import Warehouse


@pytest.fixture
def settings(tmp_path: Path, model_dir: Path) -> Settings:
    return Settings(home=tmp_path / "home", model=model_dir, gate="off", max_num_seqs=4, shard_size=8)


@pytest.fixture
def order(tmp_path: Path) -> Order:
    folder = tmp_path / "source"
    folder.mkdir()
    for number in range(1, 4):
        (folder / f"{number}.txt").write_text(receipt(number))
    return Order(str(folder), "receipt@1")


def rows(settings: Settings, sql: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = Warehouse(settings.home).query(sql).to_pylist()
    return found


def test_again_puts_a_second_extraction_beside_the_first(order: Order, settings: Settings) -> None:
    first = carried(order, settings)
    assert carried(order, settings).run_id is None
    second = carried(replace(order, again=True), settings)
    assert (second.documents, second.skipped) == (3, 0)
    counts = "count(*) AS n, count(*) FILTER (is_current) AS current"
    assert rows(settings, f"SELECT run_id, {counts} FROM extractions GROUP BY 1 ORDER BY 1") == [
        {"run_id": first.run_id, "n": 3, "current": 0},
        {"run_id": second.run_id, "n": 3, "current": 3},
    ]


def test_the_kind_is_recorded(order: Order, settings: Settings) -> None:
    carried(replace(order, kind="evaluate"), settings)
    assert rows(settings, "SELECT kind FROM runs") == [{"kind": "evaluate"}]


def test_blobs_stand_in_for_the_listing(order: Order, settings: Settings) -> None:
    chosen = tuple(blob for blob in list_blobs(order.source) if not blob.uri.endswith("2.txt"))
    given = replace(order, source="labels", blobs=chosen)
    assert carried(given, settings).documents == 2
    assert carried(given, settings).run_id is None
    assert rows(settings, "SELECT source FROM runs") == [{"source": "labels"}]
    assert carried(order, settings).documents == 1

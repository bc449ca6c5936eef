"""A run while somebody reads the database all the time: it ends well, and its results are landed later."""

from dataclasses import replace
from pathlib import Path

import pytest

from flows.order import Order
from flows.settings import Settings
from tests.flows.fake_engine import receipt
from tests.flows.nights import carried
from tests.warehouse.holding import held
from warehouse.store import Warehouse


@pytest.fixture
def settings(tmp_path: Path, model_dir: Path) -> Settings:
    return Settings(home=tmp_path / "home", model=model_dir, gate="off", max_num_seqs=4, shard_size=2)


def test_a_reader_delays_landing_and_fails_no_run(tmp_path: Path, settings: Settings) -> None:
    folder = tmp_path / "source"
    folder.mkdir()
    for number in range(1, 8):
        (folder / f"{number}.txt").write_text(receipt(number))
    order, warehouse = Order(str(folder), "receipt@1"), Warehouse(settings.home)
    assert carried(replace(order, limit=1), settings).documents == 1
    with held(warehouse.database) as reader:
        summary = carried(order, settings)
        assert (summary.status, summary.documents, summary.exit_code) == ("finished", 6, 0)
        assert f"process {reader.pid} " in str(summary.message)
        assert "assay land" in str(summary.message)
        assert warehouse.query("FROM extractions").num_rows == 1
    landed = warehouse.land()
    assert (landed.extractions, landed.skipped, landed.damaged) == (6, 0, ())
    told = "SELECT status, documents FROM runs ORDER BY run_id"
    assert warehouse.query(told).to_pylist() == [
        {"status": "finished", "documents": 1},
        {"status": "finished", "documents": 6},
    ]
    assert carried(order, settings).run_id is None

"""Shards that travel as one object each: whole, once, with their bytes, and nothing else."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest

from schemas.errors import WarehouseError
from tests.object_store import object_store
from tests.warehouse.samples import RECIPE, document, ok
from warehouse.depot import Depot
from warehouse.store import Warehouse


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """An empty bucket on loopback."""
    with object_store("shards"):
        yield "s3://shards/night"


@pytest.fixture(params=[pytest.param("s3", marks=pytest.mark.object_store), "folder"])
def depot(request: pytest.FixtureRequest, tmp_path: Path) -> Depot:
    """A depot in a bucket, and one in a folder that is not there yet."""
    if request.param == "folder":
        return Depot(str(tmp_path / "shared" / "night"))
    return Depot(f"{request.getfixturevalue('bucket')}-{tmp_path.name}")


def begun(warehouse: Warehouse) -> str:
    return warehouse.start_run("extract", "receipt@1", RECIPE, "in/")


def sent(depot: Depot, folder: Path, run_id: str, shard_id: str, names: list[str]) -> None:
    """What a worker does: it stages in a folder of its own, and sends that."""
    worker = Warehouse(folder)
    for name in names:
        worker.archive.put(name.encode())
    documents = [document(name) for name in names]
    shard = worker.stage(shard_id, run_id, documents, ok(names, run_id))
    depot.send(run_id, shard, worker.archive)


def collected(depot: Depot, run_id: str, warehouse: Warehouse) -> int:
    return depot.collect([run_id], warehouse.staging, warehouse.archive)


def test_a_mark_is_seen_until_it_goes_and_is_no_shard(depot: Depot, warehouse: Warehouse) -> None:
    run_id = begun(warehouse)
    assert not depot.is_marked(run_id)
    depot.mark(run_id)
    assert depot.is_marked(run_id)
    assert (depot.runs(), collected(depot, run_id, warehouse)) == (frozenset({run_id}), 0)
    for _ in range(2):
        depot.unmark(run_id)
    assert (depot.is_marked(run_id), depot.runs()) == (False, frozenset())


def test_two_landers_at_once_bring_each_shard_and_none_fails(
    depot: Depot, warehouse: Warehouse, tmp_path: Path
) -> None:
    """`assay land` beside a run on Ray."""
    run_id = begun(warehouse)
    for number in range(6):
        sent(depot, tmp_path / str(number), run_id, f"s{number}", [f"a{number}"])
    with ThreadPoolExecutor(4) as pool:
        brought = [pool.submit(collected, depot, run_id, warehouse) for _ in range(4)]
        assert sum(one.result() for one in brought) >= 6
    assert depot.runs() == frozenset()
    landed = warehouse.land()
    assert (landed.shards, landed.extractions, landed.damaged) == (6, 6, ())


def test_a_shard_arrives_once_with_its_bytes(depot: Depot, warehouse: Warehouse, tmp_path: Path) -> None:
    run_id = begun(warehouse)
    assert (depot.runs(), collected(depot, run_id, warehouse)) == (frozenset(), 0)
    sent(depot, tmp_path / "one", run_id, "s1", ["a", "b"])
    sent(depot, tmp_path / "two", run_id, "s2", ["c"])
    assert depot.runs() == {run_id}
    assert collected(depot, run_id, warehouse) == 2
    assert (depot.runs(), collected(depot, run_id, warehouse)) == (frozenset(), 0)
    landed = warehouse.land()
    assert (landed.shards, landed.extractions) == (2, 3)
    kept = sha256(b"a").hexdigest()
    assert warehouse.archive.get(kept) == b"a"
    assert list(warehouse.staging.iterdir()) == []


def test_a_shard_that_is_sent_again_after_it_was_landed_changes_nothing(
    depot: Depot, warehouse: Warehouse, tmp_path: Path
) -> None:
    run_id = begun(warehouse)
    for folder in ("one", "two"):
        sent(depot, tmp_path / folder, run_id, "s1", ["a", "b"])
        collected(depot, run_id, warehouse)
        warehouse.land()
    counts = "SELECT (SELECT count(*) FROM extractions) AS n, (SELECT sum(documents) FROM landings) AS staged"
    assert warehouse.query(counts).to_pylist() == [{"n": 2, "staged": 2}]


def test_shards_of_another_home_stay(depot: Depot, warehouse: Warehouse, tmp_path: Path) -> None:
    run_id, other = begun(warehouse), "01890000-0000-7000-8000-000000000000"
    sent(depot, tmp_path / "one", other, "s1", ["a"])
    assert collected(depot, run_id, warehouse) == 0
    assert depot.runs() == {other}


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"../../escaped.txt": b"x"},
        {"extractions.parquet": b"x", "originals/" + "0" * 64: b"other bytes"},
    ],
)
def test_what_is_no_shard_is_put_aside(
    warehouse: Warehouse, tmp_path: Path, members: dict[str, bytes]
) -> None:
    depot, run_id = Depot(str(tmp_path / "shared")), begun(warehouse)
    packed = tmp_path / "shared" / run_id / "s1.tar"
    packed.parent.mkdir(parents=True)
    with tarfile.open(packed, "w") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, BytesIO(data))
    assert collected(depot, run_id, warehouse) == 0
    assert list(warehouse.staging.iterdir()) == []
    assert not list(tmp_path.rglob("escaped.txt"))
    assert (tmp_path / "shared" / "damaged" / run_id / "s1.tar").is_file()


def test_a_place_that_cannot_be_used_is_named(warehouse: Warehouse, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(WarehouseError, match="ASSAY_STAGING"):
        Depot(str(tmp_path / "file" / "below")).runs()

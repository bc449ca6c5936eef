"""A real disk that is full: while a shard is staged, landed, purged or copied, and in a whole run."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from flows.order import Order
from flows.plan import planned
from flows.run import carry_out
from flows.settings import Settings
from schemas.errors import WarehouseError
from schemas.records import Status
from tests.flows.fake_engine import Factory, receipt
from tests.warehouse.samples import RECIPE, document, ok, sha
from warehouse.store import Warehouse

SIZE = 48 * 2**20
NAMES = [f"d{number}" for number in range(300)]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 48 MiB. Skipped where none may be mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(place)]
    if (
        os.name != "posix"
        or mount is None
        or subprocess.run(command, capture_output=True, check=False).returncode
    ):
        pytest.skip("a tmpfs cannot be mounted here: it needs Linux and the right to mount")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)  # noqa: S607


def fill(disk: Path, leave: int) -> Path:
    """A file that leaves so many bytes of the disk."""
    ballast = disk / "ballast"
    free = shutil.disk_usage(disk).free - leave
    ballast.write_bytes(b"\0" * free)
    return ballast


def text(name: str) -> str:
    """Text that does not compress to nothing."""
    return "".join(sha(f"{name}{number}") for number in range(100))


def stage(warehouse: Warehouse, run_id: str) -> None:
    documents = [document(name, text=text(name)) for name in NAMES]
    warehouse.stage("s1", run_id, documents, ok(NAMES, run_id))


@pytest.fixture
def run_id(disk: Path) -> str:
    return Warehouse(disk / "home").start_run("extract", "receipt@1", RECIPE, "in/")


def test_full_while_staging(disk: Path, run_id: str) -> None:
    warehouse = Warehouse(disk / "home")
    ballast = fill(disk, 256 * 1024)
    with pytest.raises(WarehouseError, match=r"disk is full.*Make room"):
        stage(warehouse, run_id)
    assert list(warehouse.staging.iterdir()) == []
    ballast.unlink()
    stage(warehouse, run_id)
    assert warehouse.land().extractions == len(NAMES)


def test_full_while_landing(disk: Path, run_id: str) -> None:
    warehouse = Warehouse(disk / "home")
    stage(warehouse, run_id)
    ballast = fill(disk, 256 * 1024)
    with pytest.raises(WarehouseError, match=r"disk is full.*nothing is half landed"):
        warehouse.land()
    for table in ("documents", "extractions", "attempts", "fields", "landings"):
        assert warehouse.query(f"FROM {table}").num_rows == 0, table
    assert [path.name for path in warehouse.staging.iterdir()] == ["s1"]
    ballast.unlink()
    assert warehouse.land().extractions == len(NAMES)
    assert warehouse.query("FROM documents").num_rows == len(NAMES)


def test_full_while_purging_and_copying(disk: Path, run_id: str) -> None:
    warehouse = Warehouse(disk / "home")
    stage(warehouse, run_id)
    warehouse.land()
    ballast = fill(disk, 256 * 1024)
    with pytest.raises(WarehouseError, match="left as it was"):
        warehouse.purge(warehouse.doomed([sha("d1")]), "", "tester")
    with pytest.raises(WarehouseError, match=r"No space left|disk is full"):
        warehouse.snapshot(disk / "copy")
    assert warehouse.query("FROM documents").num_rows == len(NAMES)
    assert sorted(path.name for path in disk.iterdir()) == ["ballast", "home"]
    assert [path.name for path in warehouse.home.iterdir() if path.name.startswith(".")] == []
    ballast.unlink()
    warehouse.purge(warehouse.doomed([sha("d1")]), "", "tester")
    assert warehouse.query("FROM documents").num_rows == len(NAMES) - 1


@pytest.mark.parametrize("leave", [0, 512 * 1024])
def test_a_run_that_meets_a_full_disk_is_completed_by_the_next(
    disk: Path, tmp_path: Path, model_dir: Path, leave: int
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for number in range(40):
        (source / f"{number}.txt").write_text(receipt(number) + text(str(number)))
    settings = Settings(home=disk / "home", model=model_dir, gate="off", shard_size=5)
    order = Order(str(source), "receipt@1")
    Warehouse(settings.home).query("SELECT 1")
    ballast = fill(disk, leave)
    with pytest.raises(WarehouseError), planned(order, settings) as plan:
        carry_out(plan, start_engine=Factory(), console=Console(file=io.StringIO()))
    ballast.unlink()
    with planned(order, settings) as plan:
        summary = carry_out(plan, start_engine=Factory(), console=Console(file=io.StringIO()))
    assert summary.status == "finished"
    rows = Warehouse(settings.home).query("SELECT document_id, status FROM extractions").to_pylist()
    assert len({row["document_id"] for row in rows}) == len(rows) == 40
    assert {row["status"] for row in rows} <= {Status.ACCEPTED, Status.FLAGGED, Status.REJECTED}

"""kill -9 at random moments loses nothing, doubles nothing, leaves no process behind."""

import hashlib
import random
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.flows.fake_engine import receipt
from warehouse.store import Warehouse

DOCUMENTS = 60
KILLS = 10


@pytest.mark.slow
def test_sixty_documents_survive_ten_kills(tmp_path: Path, model_dir: Path, root: Path) -> None:
    source, home = tmp_path / "source", tmp_path / "home"
    source.mkdir()
    for number in range(1, DOCUMENTS + 1):
        (source / f"{number:02}.txt").write_text(receipt(number))
    command = [sys.executable, "-m", "tests.flows.slow_run", str(home), str(model_dir), str(source)]
    chance = random.Random(20)
    for number in range(KILLS):
        _run_and_kill(command, root, chance.uniform(0, 0.8), at_work=number > 1)
    last = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120, check=False)
    assert last.returncode == 0, last.stderr
    _check(home, source)


def _run_and_kill(command: list[str], root: Path, after_s: float, at_work: bool) -> None:
    """Kill a run `after_s` seconds after its start, or after it began to work; its children go too."""
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    if at_work:
        process.stdout.readline()
    time.sleep(after_s)
    try:
        children = psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        children = []
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(children, timeout=5)
    assert alive == []


def _check(home: Path, source: Path) -> None:
    warehouse = Warehouse(home)
    found = warehouse.query("SELECT document_id, status FROM extractions").to_pylist()
    expected = {hashlib.sha256(path.read_bytes()).hexdigest(): path.read_bytes() for path in source.iterdir()}
    assert len(found) == DOCUMENTS
    assert {row["document_id"] for row in found} == set(expected)
    assert {row["status"] for row in found} == {"accepted"}
    assert {key: warehouse.archive.get(key) for key in expected} == expected
    assert list((home / "staging").iterdir()) == []
    counted = "SELECT count(*) AS n FROM {} GROUP BY ALL"
    assert warehouse.query(counted.format("documents")).to_pylist() == [{"n": DOCUMENTS}]
    assert warehouse.query(counted.format("attempts")).to_pylist() == [{"n": DOCUMENTS}]
    (left,) = warehouse.query("SELECT count(*) AS n FROM runs WHERE status = 'running'").to_pylist()
    assert left == {"n": 0}

"""`assay serve` as a process of its own, with a server of its own: nights that are seconds apart."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from schemas.errors import AssayError
from scripts.vllm_server import free_port
from tests.extractors.fake_server import FakeServer
from tests.flows.fake_engine import receipt
from tests.flows.served_thread import serving
from warehouse.store import Warehouse

KEY = "sk-never-to-be-told"
ANSWER = {"reasoning": "None.", "company": None, "date": None, "address": None, "total": None}
NIGHTS = """
deployments:
  - name: nightly-extract
    entrypoint: flows.deployments.extract.extract
    parameters: {job: {schema_version: receipt@1}}
    schedules: [{interval: 2, timezone: Europe/Berlin, slug: nightly}]
    concurrency_limit: {limit: 1, collision_strategy: CANCEL_NEW}
"""


@contextmanager
def served(command: list[str], root: Path, environment: dict[str, str], log: Path) -> Iterator[None]:
    """The command at work; on leaving it is asked to end, and must, with all that it started."""
    with (
        log.open("wb") as out,
        subprocess.Popen(command, cwd=root, env=environment, stdout=out, stderr=out) as process,
    ):
        try:
            yield
            children = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
            _, alive = psutil.wait_procs(children, timeout=10)
            assert alive == []
        finally:
            process.kill()


def until(holds: Callable[[], bool], seconds: float = 90.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.2)


def landed(home: Path) -> list[str]:
    """The documents that have an outcome; none while there is no database, or a run writes it."""
    try:
        found = Warehouse(home).briefly().query("SELECT document_id FROM extractions").to_pylist()
    except (AssayError, OSError):
        return []
    return [row["document_id"] for row in found]


@pytest.mark.slow
def test_three_nights_in_a_row_do_each_document_once(tmp_path: Path, model_dir: Path, root: Path) -> None:
    source, home, file = tmp_path / "source", tmp_path / "home", tmp_path / "prefect.yaml"
    source.mkdir()
    file.write_text(NIGHTS)
    fake = FakeServer(model_dir, key=KEY, answer=json.dumps(ANSWER), max_model_len=4096)
    own = {"HOME": home, "MODEL": model_dir, "ROOTS": source, "ENGINE_API_KEY": KEY}
    command = [sys.executable, "-m", "flows.cli", "serve", "--file", str(file), "--port", str(free_port())]
    log = tmp_path / "log"
    with serving(fake):
        environment = {f"ASSAY_{name}": str(value) for name, value in {**own, "ENGINE": fake.url}.items()}
        quick = {"PREFECT_RUNNER_POLL_FREQUENCY": "1"}
        (source / "1.txt").write_text(receipt(1))
        try:
            with served(command, root, {**os.environ, **environment, **quick}, log):
                for night in (1, 2, 3):
                    until(lambda night=night: len(landed(home)) == night)  # type: ignore[misc]
                    (source / f"{night + 1}.txt").write_text(receipt(night + 1))
        finally:
            sys.stderr.write(log.read_text())
    found = landed(home)
    runs = Warehouse(home).query("SELECT status, documents FROM runs ORDER BY started_at").to_pylist()
    assert len(found) == len(set(found)) >= 3
    assert runs[:3] == [{"status": "finished", "documents": 1}] * 3
    asked = [tuple(one["prompt"]) for one in fake.documents]
    assert len(asked) == len(set(asked)) == len(found)
    told = log.read_text()
    assert "serving nightly-extract: every 0:00:02 (Europe/Berlin)" in told
    assert "Traceback" not in told
    assert KEY not in told

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
from tests.flows.receiver import Receiver
from tests.flows.served_thread import serving
from warehouse.store import Warehouse

KEY = "sk-never-to-be-told"
ANSWER = {"reasoning": "None.", "company": None, "date": None, "address": None, "total": None}
NIGHTS = """
deployments:
  - name: nightly-extract
    entrypoint: flows.deployments.extract.extract
    parameters: {job: {schema_version: receipt@1}}
    schedules: [{interval: 3, timezone: Europe/Berlin, slug: nightly}]
    concurrency_limit: {limit: 1, collision_strategy: CANCEL_NEW}
    tags: [assay]
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


def until(holds: Callable[[], bool], seconds: float = 200.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.5)


def landed(home: Path) -> list[str]:
    """The documents that have an outcome; none while there is no database, or a run writes it."""
    try:
        found = Warehouse(home).briefly().query("SELECT document_id FROM extractions").to_pylist()
    except (AssayError, OSError):
        return []
    return [row["document_id"] for row in found]


@pytest.fixture
def told() -> Iterator[Receiver]:
    """Who is told when a night needs somebody."""
    receiver = Receiver()
    yield receiver
    receiver.close()


def ask_to_be_told(url: str, address: str, tmp_path: Path, root: Path) -> None:
    """The automations of deploy/, as a person makes them."""
    environment = {**os.environ, "PREFECT_API_URL": f"{url}/api", "NOTIFY_WEBHOOK": address}
    printing = [sys.executable, "-m", "scripts.automations"]
    file = tmp_path / "automations.yaml"
    printed = subprocess.run(printing, cwd=root, env=environment, capture_output=True, check=True)
    file.write_bytes(printed.stdout)
    assert address.encode() not in printed.stdout
    creating = [sys.executable, "-m", "prefect", "automation", "create", "--from-file", str(file)]
    created = subprocess.run(creating, env=environment, capture_output=True, text=True, check=True)
    assert "Created 4 automation" in created.stdout


@pytest.mark.slow
def test_three_nights_in_a_row_and_one_without_an_engine(
    tmp_path: Path, model_dir: Path, root: Path, told: Receiver
) -> None:
    """Each document once; and who asked for it is told of the night that failed."""
    source, home, file = tmp_path / "source", tmp_path / "home", tmp_path / "prefect.yaml"
    source.mkdir()
    file.write_text(NIGHTS)
    fake = FakeServer(model_dir, key=KEY, answer=json.dumps(ANSWER), max_model_len=4096)
    own = {"HOME": home, "MODEL": model_dir, "ROOTS": source, "ENGINE_API_KEY": KEY, "ENGINE_PATIENCE": 1}
    port, log = free_port(), tmp_path / "log"
    command = [sys.executable, "-m", "flows.cli", "serve", "--file", str(file), "--port", str(port)]
    with serving(fake) as loop:
        environment = {f"ASSAY_{name}": str(value) for name, value in {**own, "ENGINE": fake.url}.items()}
        quick = {"PREFECT_RUNNER_POLL_FREQUENCY": "1"}
        with served(command, root, {**os.environ, **environment, **quick}, log):
            (source / "1.txt").write_text(receipt(1))
            until(lambda: "serving" in log.read_text())
            ask_to_be_told(f"http://127.0.0.1:{port}", told.url, tmp_path, root)
            for night in (1, 2, 3):
                (source / f"{night}.txt").write_text(receipt(night))
                until(lambda night=night: len(landed(home)) == night)  # type: ignore[misc]
            loop.do(fake.kill())
            (source / "4.txt").write_text(receipt(4))
            until(lambda: bool(told.raw))
    _check(home, fake)
    news = json.loads(told.raw[0][1])
    assert news["what"] == "assay.flow.failed"
    assert news["about"].startswith("extract receipt@1 ")
    assert "does not answer" in news["figures"]["message"]
    written = log.read_text()
    assert "serving nightly-extract: every 0:00:03 (Europe/Berlin)" in written
    assert "Traceback" not in written
    assert KEY not in f"{written}{told.raw}"


def _check(home: Path, fake: FakeServer) -> None:
    found = landed(home)
    runs = Warehouse(home).query("SELECT status, documents FROM runs ORDER BY started_at").to_pylist()
    assert len(found) == len(set(found)) == 3
    assert runs[:3] == [{"status": "finished", "documents": 1}] * 3
    asked = [tuple(one["prompt"]) for one in fake.documents]
    assert len(asked) == len(set(asked)) == 3

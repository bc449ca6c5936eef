"""The flow as Prefect runs it, against a real Prefect server on loopback."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from flows.order import Summary
from flows.reporting import prepare_environment, wants_prefect
from flows.settings import Settings, load
from schemas.errors import SettingError, UsageError
from tests.extractors.fake_server import FakeServer
from tests.flows.fake_engine import receipt
from tests.flows.served_thread import serving

ANSWER = json.dumps(
    {"reasoning": "None.", "company": "NOT THERE LTD", "date": None, "address": None, "total": None}
)


def settings(home: Path, model: Path | None = None, **given: str) -> Settings:
    return Settings.model_validate({"home": home, "model": model, **given})


def test_prefect_is_asked_only_where_a_server_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    assert not wants_prefect(settings(tmp_path))
    assert wants_prefect(settings(tmp_path, prefect="always"))
    assert wants_prefect(settings(tmp_path, prefect_api_url="http://127.0.0.1:4200/api"))
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:4200/api")
    assert wants_prefect(settings(tmp_path))
    assert not wants_prefect(settings(tmp_path, prefect="never"))


CANARY = "CANARY-4711-NEVER-TOLD"
HOSTILE = "<img src=x onerror=alert(1)> [a](javascript:alert(1)) ![b](203.0.113.9).txt"


@pytest.mark.slow
def test_flow_runs_with_a_server(
    tmp_path: Path, model_dir: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """One server for all that is asked of it: it takes ten seconds to start."""
    source = tmp_path / "source"
    source.mkdir()
    for number in range(3):
        (source / f"{number}.txt").write_text(f"{CANARY}\n{receipt(number)}")
    (source / HOSTILE).write_bytes(b"\x00\x01\x02")
    fake = FakeServer(model_dir, answer=ANSWER, max_model_len=4096)
    with serving(fake):
        for name, value in {"HOME": tmp_path / "home", "MODEL": model_dir, "ENGINE": fake.url}.items():
            monkeypatch.setenv(f"ASSAY_{name}", str(value))
        prepare_environment(load())
        _with_server(source)
    written = "".join(capfd.readouterr())
    assert CANARY not in written
    assert "Traceback" not in written


def _with_server(source: Path) -> None:
    from prefect.client.orchestration import get_client
    from prefect.testing.utilities import prefect_test_harness

    from flows.deployments.evaluate import evaluate
    from flows.deployments.extract import extract
    from flows.deployments.land import land
    from flows.deployments.parameters import Evaluate, Extract, Rerun
    from flows.deployments.rerun import rerun

    with prefect_test_harness(server_startup_timeout=200), get_client(sync_client=True) as client:
        _check_greeting(str(client.api_url).rstrip("/"))
        summary = extract(Extract(source=str(source), schema_version="receipt@1"))
        again = rerun(Rerun(schema_version="receipt@1", where="bytes > 0"))
        shards = land()
        evaluation = evaluate(Evaluate(schema_version="receipt@1", labels=str(_labels(source))))
        _check_slot(client)
        with pytest.raises(UsageError, match="no schema"):
            extract(Extract(source=str(source), schema_version="nothing@1"))
        with pytest.MonkeyPatch.context() as broken:
            broken.setattr("flows.deployments.extract._extract", _choke)
            with pytest.raises(ValueError, match=CANARY):
                extract(Extract(source=str(source), schema_version="invoice@1"))
        runs = {one.name: one.state for one in client.read_flow_runs()}
        logged = "".join(one.message for one in client.read_logs())
        artifacts = {(one.key, one.flow_run_id): one for one in client.read_artifacts()}
    today = f"{datetime.now(UTC).astimezone():%Y-%m-%d}"
    done = ("extract receipt@1", "rerun receipt@1", "land", "evaluate receipt@1")
    named = {f"{one} {today}" for one in done}
    assert {name for name, state in runs.items() if state.is_completed()} == named
    assert set(runs) - named == {f"extract nothing@1 {today}", f"extract invoice@1 {today}"}
    choked = runs[f"extract invoice@1 {today}"]
    assert choked.is_failed()
    assert choked.message == "ValueError: a fault in Assay; the worker's log says where"
    assert CANARY not in logged
    assert runs[f"extract nothing@1 {today}"].is_failed()
    assert (summary.documents, again.run_id, shards) == (4, None, 0)
    _check_artifacts(summary, list(artifacts.values()))
    pages = [one.data for one in artifacts.values() if one.key == "assay-evaluation-page"]
    assert evaluation in pages[0]


def _choke(_: object) -> Summary:
    raise ValueError(f"choked on {CANARY}")


def _check_greeting(url: str) -> None:
    """What is not Prefect's API is told; the API itself is taken."""
    from prefect.settings import PREFECT_API_URL, temporary_settings

    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PREFECT_API_URL", url)
        prepare_environment(load())
        environment.setenv("PREFECT_API_URL", url.removesuffix("/api"))
        with (
            temporary_settings({PREFECT_API_URL: url.removesuffix("/api")}),
            pytest.raises(SettingError, match="PREFECT_API_URL ends in /api"),
        ):
            prepare_environment(load())


def _labels(source: Path) -> Path:
    file = source.parent / "labels.jsonl"
    rows = [{"file": f"source/{number}.txt", "fields": {"total": f"{number}.50"}} for number in range(3)]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def _check_slot(client: Any) -> None:
    """A run with the embedded engine takes one, and gives it back; another waits for it."""
    from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate

    from flows.deployments.carried import gpu_slot

    def taken() -> int:
        return int(client.read_global_concurrency_limit_by_name("assay-gpu").active_slots)

    client.create_global_concurrency_limit(GlobalConcurrencyLimitCreate(name="assay-gpu", limit=1))
    with gpu_slot(Settings(gpu_limit="assay-gpu", engine="embedded")):
        assert taken() == 1
    assert taken() == 0


def _check_artifacts(summary: Summary, artifacts: list[Any]) -> None:
    first = {one.key: one for one in artifacts if str(summary.run_id) in f"{one.data} {one.description}"}
    assert set(first) == {"assay-summary", "assay-failures", "assay-report", "assay-progress"}
    counts = json.loads(first["assay-summary"].data)[0]
    assert (counts["status"], counts["flagged"], counts["rejected"]) == ("finished", 3, 1)
    failures = json.loads(first["assay-failures"].data)
    assert {(row["category"], row["documents"]) for row in failures} == {
        ("unsupported_type", 1),
        ("ungrounded", 3),
    }
    assert summary.report is not None
    assert summary.report.as_uri() in first["assay-report"].data
    assert float(first["assay-progress"].data) == 100.0
    told = "".join(f"{one.data}{one.description}" for one in artifacts)
    assert CANARY not in told
    assert "<img" not in told


@pytest.mark.slow
def test_a_server_that_is_not_there_is_named(tmp_path: Path, model_dir: Path, root: Path) -> None:
    (tmp_path / "a.txt").write_text(receipt(1))
    home = {"ASSAY_HOME": str(tmp_path / "home"), "ASSAY_MODEL": str(model_dir)}
    environment = {**os.environ, **home, "PREFECT_API_URL": "http://127.0.0.1:9/api"}
    command = [sys.executable, "-m", "flows.cli", "extract", str(tmp_path / "a.txt"), "--schema", "receipt@1"]
    done = subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=200
    )
    assert done.returncode == 2
    assert "assay: Prefect's server at http://127.0.0.1:9/api: " in done.stderr
    assert "Traceback" not in done.stderr

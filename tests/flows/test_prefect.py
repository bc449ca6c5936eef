"""The flow as Prefect runs it, against a real Prefect server on loopback."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from flows.order import Order
from flows.plan import planned
from flows.reporting import prepare_environment, wants_prefect
from flows.run import carry_out
from flows.settings import Settings
from schemas.records import Status
from tests.flows.fake_engine import Factory, receipt


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


@pytest.mark.slow
def test_flow_runs_with_a_server(tmp_path: Path, model_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, source = tmp_path / "home", tmp_path / "source"
    source.mkdir()
    (source / "a.txt").write_text(receipt(1))
    made = settings(home, model_dir)
    with planned(Order(str(source), "receipt@1"), made) as plan:
        carry_out(plan, start_engine=Factory(), console=Console(file=io.StringIO()))
    monkeypatch.setenv("ASSAY_HOME", str(home))
    monkeypatch.setenv("ASSAY_MODEL", str(model_dir))
    prepare_environment(made)
    from prefect.client.orchestration import get_client
    from prefect.testing.utilities import prefect_test_harness

    from flows.extract import extract
    from flows.rerun import rerun

    with prefect_test_harness(server_startup_timeout=200):
        summary = extract(str(source), "receipt@1")
        again = rerun("receipt@1", statuses=[Status.ACCEPTED], where="bytes > 0")
        with get_client(sync_client=True) as client:
            flow_runs = {one.name: one.state for one in client.read_flow_runs()}
            tables = client.read_artifacts()
    assert (summary.listed, summary.skipped, summary.run_id) == (1, 1, None)
    assert (again.listed, again.skipped, again.run_id) == (1, 1, None)
    assert set(flow_runs) == {f"receipt@1 {source}", "receipt@1"}
    assert all(state is not None and state.is_completed() for state in flow_runs.values())
    assert [table.key for table in tables] == ["extraction", "extraction"]


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
    assert "assay: Failed to reach API at http://127.0.0.1:9/api" in done.stderr
    assert "Traceback" not in done.stderr

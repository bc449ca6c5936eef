"""Whole runs against a served engine that dies and comes back: nothing lost, nothing doubled."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from flows import servers
from flows.order import Order, Summary
from flows.plan import planned
from flows.run import carry_out
from flows.settings import Settings
from schemas.decoding import Decoding
from schemas.errors import EngineUnavailable, SettingError
from scripts.vllm_server import free_port
from tests.extractors.fake_server import FakeServer
from tests.flows.fake_engine import receipt
from tests.flows.served_thread import Loop, serving
from warehouse.store import Warehouse

KEY = "sk-never-to-be-landed"
ANSWER = {"reasoning": "None.", "company": None, "date": None, "address": None, "total": None}
Run = Callable[..., Summary]


@pytest.fixture
def fake(model_dir: Path) -> FakeServer:
    return FakeServer(model_dir, key=KEY, answer=json.dumps(ANSWER), max_model_len=4096, delay_s=0.2)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    for number in range(24):
        (folder / f"{number:02}.txt").write_text(receipt(number))
    return folder


@pytest.fixture
def run(tmp_path: Path, model_dir: Path, source: Path) -> Run:
    def carry(fake: FakeServer, **changes: Any) -> Summary:
        usual = {
            "home": tmp_path / "home",
            "model": model_dir,
            "max_num_seqs": 2,
            "engine": f"{fake.url}/v1/",
        }
        settings = Settings(**{**usual, "engine_api_key": KEY, "engine_patience": 20.0, **changes})
        with planned(Order(str(source), "receipt@1"), settings) as plan:
            return carry_out(plan, console=Console(file=io.StringIO()))

    return carry


def counted(tmp_path: Path, sql: str) -> int:
    (row,) = Warehouse(tmp_path / "home").query(sql).to_pylist()
    return int(next(iter(row.values())))


def once_served(loop: Loop, fake: FakeServer, count: int, then: Callable[[], None]) -> threading.Thread:
    """A thread that does `then` as soon as so many documents have been asked for."""

    def watch() -> None:
        until = time.monotonic() + 60
        while len(fake.documents) < count and time.monotonic() < until:
            time.sleep(0.01)
        then()

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def test_a_server_that_is_killed_and_restarted_costs_time_and_nothing_else(
    fake: FakeServer, run: Run, tmp_path: Path
) -> None:
    with serving(fake) as loop:

        def restart() -> None:
            loop.do(fake.kill())
            time.sleep(1)
            loop.do(fake.start())

        thread = once_served(loop, fake, 6, restart)
        summary = run(fake)
        thread.join()
    assert (summary.status, summary.exit_code, summary.engine_failures) == ("finished", 0, 0)
    assert counted(tmp_path, "SELECT count(*) FROM extractions WHERE status <> 'failed'") == 24
    assert counted(tmp_path, "SELECT count(DISTINCT document_id) FROM extractions") == 24
    assert counted(tmp_path, "SELECT count(*) FROM attempts") == 24
    assert len(fake.documents) > 24, "some were asked for twice"


def test_one_that_stays_dead_fails_the_rest_and_the_next_run_does_it(
    fake: FakeServer, run: Run, tmp_path: Path
) -> None:
    with serving(fake) as loop:
        thread = once_served(loop, fake, 6, lambda: loop.do(fake.kill()))
        summary = run(fake, engine_patience=1.0)
        thread.join()
        failed = counted(tmp_path, "SELECT count(*) FROM extractions WHERE status = 'failed'")
        assert (summary.status, summary.exit_code) == ("failed", 1)
        assert 0 < failed == summary.engine_failures < 24
        assert counted(tmp_path, "SELECT count(*) FROM extractions") == 24
        loop.do(fake.start())
        again = run(fake)
    assert (again.status, again.documents) == ("finished", failed)
    done = "SELECT count(DISTINCT document_id) FROM extractions WHERE status <> 'failed'"
    assert counted(tmp_path, done) == 24


def test_a_run_ends_at_its_deadline_and_the_next_one_goes_on(
    fake: FakeServer, run: Run, tmp_path: Path
) -> None:
    fake.delay_s = 0.5
    with serving(fake):
        summary = run(fake, deadline=2.5)
        assert (summary.status, summary.exit_code) == ("failed", 1)
        assert "deadline of 2.5 s" in str(summary.message)
        landed = counted(tmp_path, "SELECT count(*) FROM extractions")
        assert landed < 24
        fake.delay_s = 0.0
        assert run(fake).documents == 24 - landed
    assert counted(tmp_path, "SELECT count(*) FROM extractions") == 24


def test_nothing_in_the_home_holds_the_key(fake: FakeServer, run: Run, tmp_path: Path) -> None:
    with serving(fake):
        assert run(fake).exit_code == 0
    files = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert any(path.name == "warehouse.duckdb" for path in files)
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


def test_the_recipe_says_which_servers_made_it(fake: FakeServer, run: Run, tmp_path: Path) -> None:
    with serving(fake):
        run(fake)
        assert run(fake).run_id is None, "all done under this recipe"
        fake.version = "0.33.0"
        assert run(fake).documents == 24, "another version is another recipe"
    assert counted(tmp_path, "SELECT count(*) FROM recipes") == 2


def test_a_server_that_is_not_there_is_told_before_any_run(
    fake: FakeServer, run: Run, tmp_path: Path
) -> None:
    with serving(fake):
        pass
    with pytest.raises(EngineUnavailable, match="does not answer"):
        run(fake, engine_patience=0.0)
    assert counted(tmp_path, "SELECT count(*) FROM runs") == 0


def test_who_does_not_look_on_waits_for_a_server_that_is_starting(
    fake: FakeServer, tmp_path: Path, model_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a box was switched on: a night is not lost for the minutes in which a model is loaded."""
    monkeypatch.setattr(servers, "PLANNING_PATIENCE_S", 0.2)
    given: dict[str, Any] = {"home": tmp_path, "model": model_dir, "engine_api_key": KEY}
    with serving(fake) as loop:
        loop.do(fake.kill())
        settings = Settings(**given, engine=fake.url, engine_patience=30.0)
        with pytest.raises(EngineUnavailable):
            servers.told(settings, Decoding(name="x"))
        threading.Timer(1.0, lambda: loop.do(fake.start())).start()
        found = servers.told(settings.model_copy(update={"wait": 60.0}), Decoding(name="x"))
    assert found is not None
    assert found.model == "small"


def test_beam_search_over_http_is_refused_by_name(fake: FakeServer, run: Run) -> None:
    with serving(fake), pytest.raises(SettingError, match=r"guided-beam.*ASSAY_ENGINE=embedded"):
        run(fake, decoding="guided-beam")


@pytest.mark.parametrize(
    "value",
    [
        "served",
        "ftp://h",
        "http://",
        "http://h?x=1",
        "http://user:hunter2@h",
        "http://a,,http://b",
        "http://h:hunter2",
        "http://a\\b",
        "http://a b",
    ],
)
def test_an_engine_that_is_none_is_named_with_what_is_allowed(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.settings import load

    monkeypatch.setenv("ASSAY_ENGINE", value)
    with pytest.raises(SettingError, match=r"ASSAY_ENGINE .*allowed: .*`embedded`") as caught:
        load()
    assert "hunter2" not in str(caught.value)


def test_addresses_have_one_form() -> None:
    settings = Settings(engine="http://a:8000/v1, http://b/llm/,HTTP://A:8000")
    assert settings.engine == "http://a:8000,http://b/llm"


def test_a_key_in_the_file_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from flows.settings import load

    monkeypatch.chdir(tmp_path)
    Path("assay.toml").write_text(f'engine_api_key = "{KEY}"\n')
    with pytest.raises(
        SettingError, match=r"engine_api_key.*ASSAY_ENGINE_API_KEY in the environment"
    ) as caught:
        load()
    assert KEY not in str(caught.value)


def test_the_command_line_says_in_one_line_that_nobody_is_there(
    root: Path, model_dir: Path, source: Path, tmp_path: Path
) -> None:
    environment = {
        **os.environ,
        "ASSAY_HOME": str(tmp_path / "home"),
        "ASSAY_MODEL": str(model_dir),
        "ASSAY_ENGINE": f"http://127.0.0.1:{free_port()}",
        "ASSAY_ENGINE_API_KEY": KEY,
        "ASSAY_ENGINE_PATIENCE": "0",
    }
    arguments = [sys.executable, "-m", "flows.cli", "extract", str(source), "--schema", "receipt@1"]
    done = subprocess.run(arguments, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.strip().splitlines()) == 1
    assert "does not answer" in done.stderr
    assert KEY not in done.stderr


def test_a_machine_without_vllm_can_use_a_served_engine(root: Path) -> None:
    blocked = "import sys; sys.modules.update(dict.fromkeys(('vllm', 'torch', 'transformers')))"
    loads = "import flows.run, flows.servers, extractors.engines.served"
    done = subprocess.run([sys.executable, "-c", f"{blocked}; {loads}"], cwd=root, check=False)
    assert done.returncode == 0

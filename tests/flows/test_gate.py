"""The gate behind whole runs: fake engine, real warehouse, real Great Expectations."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from flows.cli import app
from flows.gate import gated
from flows.order import Order, Summary
from flows.settings import Settings
from schemas.errors import UsageError
from tests.flows.fake_engine import receipt
from tests.flows.nights import Nights, carried
from warehouse.store import Warehouse

Night = Callable[..., Summary]
Assay = Callable[..., Result]


@pytest.fixture
def settings(tmp_path: Path, model_dir: Path) -> Settings:
    own = tmp_path / "schemas"
    own.mkdir()
    return Settings(home=tmp_path / "home", model=model_dir, shard_size=64, gate="on", schemas=own)


@pytest.fixture
def night(settings: Settings, tmp_path: Path) -> Night:
    """A run over twenty new receipts each time."""
    return Nights(settings, tmp_path, 20)


def cut(prompt: str) -> str:
    return '{"reasoning":"As'


def own_suite(settings: Settings, text: str) -> None:
    assert settings.schemas is not None
    (settings.schemas / "receipt").mkdir()
    (settings.schemas / "receipt" / "v1.expectations.json").write_text(text)


def count(warehouse: Warehouse, sql: str) -> int:
    return int(warehouse.query(f"SELECT count(*) AS n FROM {sql}")["n"][0].as_py())


@pytest.fixture
def assay(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Assay:
    """The command line, in this process: it loads Great Expectations once."""
    for name, value in {"HOME": settings.home, "GATE": "on", "SCHEMAS": settings.schemas}.items():
        monkeypatch.setenv(f"ASSAY_{name}", str(value))
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


def test_a_bad_night_is_stopped_and_can_be_released(night: Night, settings: Settings, assay: Assay) -> None:
    warehouse = Warehouse(settings.home)
    assert night(cut).exit_code == 0  # the first run has nothing to be held against
    warehouse.query("DELETE FROM run_metrics", read_only=False)
    assert night().exit_code == 0
    _twice_before(warehouse)
    current = count(warehouse, "current")
    bad = night(cut)
    assert (bad.status, bad.exit_code) == ("quarantined", 3)
    assert "accepted_share is 0" in str(bad.message)
    assert count(warehouse, "current") == current
    found = f"quality_results WHERE run_id = '{bad.run_id}'"
    assert count(warehouse, f"{found} AND NOT success AND metric = 'accepted_share'") == 1
    assert (settings.reports / "quality" / f"{bad.run_id}.html").is_file()
    _release(assay, str(bad.run_id))
    assert count(warehouse, "current") == current + 20
    again = assay("gate", str(bad.run_id), "--json")
    assert again.exit_code == 3
    assert json.loads(again.stdout)[0]["passed"] is False


def _twice_before(warehouse: Warehouse) -> None:
    """Two more nights like the one that was measured, before it."""
    for other in ("0-a", "0-b"):
        measured = "run_id IN (SELECT run_id FROM run_metrics WHERE run_id NOT LIKE '0-%')"
        for table in ("runs", "run_metrics"):
            clone = (
                f"INSERT INTO {table} SELECT * REPLACE ('{other}' AS run_id) FROM {table} WHERE {measured}"
            )
            warehouse.query(clone, read_only=False)


def _release(assay: Assay, run_id: str) -> None:
    told = assay("doctor")
    assert f"run {run_id} (receipt@1, 20 documents) is in quarantine" in told.stdout
    assert "accepted_share is 0" in told.stdout
    released = assay("runs", "release", run_id, "--json")
    assert json.loads(released.stdout) == {"run_id": run_id, "released": True}
    assert run_id not in assay("doctor").stdout
    twice = assay("runs", "release", run_id)
    assert "that is quarantined" in str(twice.exception)


def test_a_users_own_suite_counts_from_the_first_run(night: Night, settings: Settings) -> None:
    wanted = {"column": "null_share:/date", "max_value": 0.5}
    own_suite(
        settings,
        json.dumps(
            {"name": "mine", "expectations": [{"type": "expect_column_max_to_be_between", "kwargs": wanted}]}
        ),
    )
    summary = night()  # the fake engine never finds a date
    assert summary.exit_code == 3
    assert "null_share:/date is 1" in str(summary.message)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ('{"expectations": [{"type": "a", "kwargs": {"min_value": NaN}}]}', "NaN is no number in JSON"),
        ("[]", 'a list "expectations"'),
        ('{"expectations": [{}]}', 'expectation 1: an object with a "type"'),
        ('{"expectations": [{"type": "x", "kwarg": {}}]}', "no such key: kwarg"),
        ('{"expectations": [{"type": "x", "kwargs": []}]}', '"kwargs" must be an object'),
        ('{"expectations": [{"type": "x", "severity": "fatal"}]}', "one of critical, warning, info"),
    ],
)
def test_a_suite_that_cannot_be_read_is_told_before_the_run(
    night: Night, settings: Settings, text: str, says: str
) -> None:
    own_suite(settings, text)
    with pytest.raises(UsageError, match=says):
        night()
    assert count(Warehouse(settings.home), "runs") == 0


@pytest.fixture(scope="module")
def one_night(tmp_path_factory: pytest.TempPathFactory, model_dir: Path) -> Path:
    """The home of one good night."""
    folder = tmp_path_factory.mktemp("gate")
    (folder / "a.txt").write_text(receipt(1))
    settings = Settings(home=folder / "home", model=model_dir, gate="on")
    carried(Order(str(folder / "a.txt"), "receipt@1"), settings)
    return settings.home


@pytest.fixture
def ended(one_night: Path, settings: Settings) -> tuple[Warehouse, str]:
    """A copy of it, and its run."""
    shutil.copytree(one_night, settings.home)
    warehouse = Warehouse(settings.home)
    return warehouse, str(warehouse.query("SELECT run_id FROM runs")["run_id"][0].as_py())


def test_a_run_that_failed_is_judged_and_keeps_its_ending(
    ended: tuple[Warehouse, str], settings: Settings
) -> None:
    warehouse, run_id = ended
    warehouse.query("UPDATE runs SET status = 'failed', counts = '{\"accepted\": 2}'", read_only=False)
    judgement = gated(warehouse, settings, run_id)
    assert judgement is not None
    assert not judgement.passed
    warehouse.release(run_id)
    assert warehouse.query("SELECT status FROM runs")["status"].to_pylist() == ["failed"]


def never_looked_at(warehouse: Warehouse) -> None:
    """As if a reader had kept all runs from the gate."""
    for table in ("quality_results", "run_metrics"):
        warehouse.query(f"DELETE FROM {table}", read_only=False)


def test_what_was_not_looked_at_is_taken_up(
    ended: tuple[Warehouse, str], settings: Settings, assay: Assay
) -> None:
    warehouse, run_id = ended
    assert warehouse.unchecked() == []
    never_looked_at(warehouse)
    assert warehouse.unchecked() == [run_id]
    taken = assay("gate")
    assert (taken.exit_code, warehouse.unchecked()) == (0, [])
    assert "no ended run waits" in assay("gate").stdout


def test_a_run_that_ended_while_the_gate_was_off_is_let_be(
    ended: tuple[Warehouse, str], settings: Settings
) -> None:
    warehouse, run_id = ended
    never_looked_at(warehouse)
    assert gated(warehouse, settings.model_copy(update={"gate": "off"}), run_id) is None
    assert warehouse.unchecked() == []


def test_landing_takes_up_the_gate(ended: tuple[Warehouse, str], assay: Assay) -> None:
    warehouse, run_id = ended
    never_looked_at(warehouse)
    warehouse.query("UPDATE runs SET counts = '{\"accepted\": 2}'", read_only=False)
    landed = assay("land")
    assert landed.exit_code == 3
    assert warehouse.query("SELECT status FROM runs")["status"].to_pylist() == ["quarantined"]
    assert f"run {run_id} is kept out" in landed.stderr


def test_shards_that_wait_put_off_the_gate(ended: tuple[Warehouse, str], settings: Settings) -> None:
    warehouse, run_id = ended
    (warehouse.staging / "waits").mkdir(parents=True)
    assert gated(warehouse, settings, run_id) is None


@pytest.mark.parametrize("change", ["status = 'interrupted'", "status = 'crashed'", "kind = 'evaluate'"])
def test_a_run_that_was_broken_off_or_only_measures_is_not_judged(
    ended: tuple[Warehouse, str], settings: Settings, change: str
) -> None:
    warehouse, run_id = ended
    warehouse.query(f"UPDATE runs SET {change}", read_only=False)
    assert gated(warehouse, settings, run_id) is None
    assert warehouse.query("SELECT status FROM runs")["status"].to_pylist() != ["quarantined"]

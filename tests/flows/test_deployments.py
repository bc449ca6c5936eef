"""prefect.yaml, the form that Prefect makes of the parameters, and what a deployment refuses. No server."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import Any
from uuid import uuid4

import pytest
import yaml
from jsonschema import Draft202012Validator

from flows.progress import Tally
from flows.settings import Settings, load
from schemas.errors import SettingError, UsageError

NAMES = ["nightly-extract", "rerun", "evaluate", "land"]


@pytest.fixture(scope="module")
def described(root: Path) -> dict[str, Any]:
    listed = yaml.safe_load((root / "prefect.yaml").read_text())["deployments"]
    return {one["name"]: one for one in listed}


@pytest.fixture(scope="module")
def made(root: Path) -> dict[str, Any]:
    """The deployments of prefect.yaml as `assay serve` makes them."""
    from flows.deployments.file import deployments

    return {str(one.name): one for one in deployments(root / "prefect.yaml")}


def schema_of(deployment: Any) -> dict[str, Any]:
    found: dict[str, Any] = deployment._parameter_openapi_schema.model_dump()
    return found


def test_the_four_deployments_are_there_and_their_parameters_valid(made: dict[str, Any]) -> None:
    assert list(made) == NAMES
    assert all(one.concurrency_limit == 1 for one in made.values())
    nightly = made["nightly-extract"]
    assert nightly.concurrency_options.collision_strategy.value == "CANCEL_NEW"
    (schedule,) = [one.schedule for one in nightly.schedules]
    assert (schedule.cron, schedule.timezone) == ("15 2 * * *", "Europe/Berlin")
    (weekly,) = [one.schedule for one in made["evaluate"].schedules]
    assert weekly.cron.split()[-1] == "0"
    assert not made["rerun"].schedules


def test_each_night_of_a_year_has_one_run_also_where_the_clock_is_changed(made: dict[str, Any]) -> None:
    from prefect.server.schemas.schedules import CronSchedule

    (nightly,) = [one.schedule for one in made["nightly-extract"].schedules]
    schedule = CronSchedule(cron=nightly.cron, timezone=nightly.timezone)
    found = asyncio.run(schedule.get_dates(n=366, start=datetime(2027, 1, 1, tzinfo=UTC)))
    dates = [datetime.fromtimestamp(one.timestamp(), UTC) for one in found]
    gaps = {later - earlier for earlier, later in pairwise(dates)}
    assert dates[-1].date() == date(2028, 1, 1)
    assert gaps == {timedelta(hours=23), timedelta(hours=24), timedelta(hours=25)}


@pytest.mark.parametrize("name", NAMES[:3])
def test_each_field_of_the_form_explains_itself(made: dict[str, Any], name: str) -> None:
    schema = schema_of(made[name])
    (job,) = schema["definitions"].values() if len(schema["definitions"]) == 1 else [_job(schema)]
    assert job["description"]
    assert not job["additionalProperties"]
    for field, about in job["properties"].items():
        assert about["title"], field
        assert len(about["description"]) > 20, field
    assert job["required"] == ["schema_version"]


def _job(schema: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = schema["definitions"][schema["properties"]["job"]["$ref"].rpartition("/")[2]]
    return found


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("source", "s3://user:pa55word@bucket/x"),
        ("source", ""),
        ("schema_version", "invoice"),
        ("limit", 0),
        ("retry", ["accepted"]),
        ("password", "pa55word"),
    ],
)
def test_the_server_refuses_it_before_it_stores_it(made: dict[str, Any], field: str, value: object) -> None:
    from flows.deployments.extract import extract

    given = {"schema_version": "receipt@1", field: value}
    schema = json.loads(json.dumps(schema_of(made["nightly-extract"])))
    assert list(Draft202012Validator(schema).iter_errors({"job": given}))
    with pytest.raises(Exception, match=field) as caught:
        extract.validate_parameters({"job": given})
    assert "pa55word" not in str(caught.value)


def test_a_deployment_without_roots_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from flows.deployments.carried import settings_here, source_of

    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    monkeypatch.delenv("ASSAY_ROOTS", raising=False)
    assert settings_here().roots == ()
    monkeypatch.setenv("PREFECT__RUNTIME__DEPLOYMENT__ID", "given-by-the-test")
    with pytest.raises(SettingError, match="ASSAY_ROOTS is not set"):
        settings_here()
    monkeypatch.setenv("ASSAY_ROOTS", f"{tmp_path},s3://inbox/2026/")
    settings = settings_here()
    assert settings.roots == (str(tmp_path.resolve()), "s3://inbox/2026")
    assert settings.wait == 12 * 3600
    with pytest.raises(UsageError, match="2 roots: name one of them"):
        source_of(None, settings)
    monkeypatch.setenv("ASSAY_ROOTS", "s3://inbox/2026/")
    monkeypatch.setenv("ASSAY_WAIT", "5")
    assert (source_of(None, settings_here()), settings_here().wait) == ("s3://inbox/2026", 5.0)


def test_wrong_roots_are_a_wrong_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_ROOTS", "s3://bucket/*/x")
    with pytest.raises(SettingError, match=r"ASSAY_ROOTS .*no wildcard"):
        load()


def test_serving_without_roots_is_refused_in_a_line(root: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "flows.cli", "serve"]
    home = {"ASSAY_HOME": str(tmp_path / "home")}
    done = subprocess.run(command, cwd=root, env=home, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("assay: ASSAY_ROOTS is not set")
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"PREFECT_API_URL": "http://127.0.0.1:9/api"}, "Prefect's server at http://127.0.0.1:9/api: "),
        ({"PREFECT_API_URL": "http://user:pa55word@127.0.0.1:9/api"}, "holds credentials"),
        ({"PREFECT_API_URL": "http://[::1/api"}, "PREFECT_API_URL: "),
        ({"ASSAY_HOME": "/etc/passwd/home"}, "/etc/passwd/home cannot be used as ASSAY_HOME"),
        ({"HOST": "192.0.2.1"}, "nothing can listen on port 4200 of 192.0.2.1"),
    ],
)
def test_serving_where_it_cannot_be_is_refused_in_a_line(
    root: Path, tmp_path: Path, given: dict[str, str], told: str
) -> None:
    host = given.get("HOST", "127.0.0.1")
    command = [sys.executable, "-m", "flows.cli", "serve", "--only", "land", "--host", host]
    environment = {"ASSAY_HOME": str(tmp_path), "ASSAY_ROOTS": str(tmp_path), **given}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "assay: " in done.stderr
    assert told in done.stderr
    assert "pa55word" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("deployments: {", "is no YAML"),
        ("name: x", "`deployments` is no list"),
        ("deployments: []", "no deployment at all"),
        ("deployments: [{name: a}]", "deployment a: it lacks 'entrypoint'"),
        ("deployments: [{name: a, entrypoint: flows.nothing.there}]", "deployment a: "),
        ("deployments: [{name: a, entrypoint: E, parameters: {job: {schema_version: x}}}]", "schema_version"),
        ("deployments: [{name: a, entrypoint: E, parameters: {job: P}, schedules: [{cron: x}]}]", "cron"),
        (
            "deployments: [{name: a, entrypoint: E, parameters: {job: P}, schedules: [{daily: 1}]}]",
            "a schedule has",
        ),
        (
            "deployments: [{name: a, entrypoint: E, schedule: {cron: 15 2 * * *}}]",
            "a deployment has no schedule",
        ),
        ("deployments: [{name: a, entrypoint: E, schedules: {cron: 1}}]", "`schedules` is no list"),
        ("deployments: [{name: a, entrypoint: E, schedules: [{interval: .inf}]}]", "infinity"),
        (
            "deployments: [{name: a, entrypoint: E, schedules: [{cron: 15 2 * * *, timezone: Mars/X}]}]",
            'deployment a: timezone: Value error, Invalid timezone: "Mars/X"',
        ),
    ],
)
def test_a_wrong_file_is_told_in_a_line(tmp_path: Path, text: str, told: str) -> None:
    from flows.deployments.file import deployments

    file = tmp_path / "prefect.yaml"
    text = text.replace("E,", "flows.deployments.extract.extract,").replace(
        "P}", "{schema_version: receipt@1}}"
    )
    file.write_text(text)
    with pytest.raises(SettingError) as caught:
        deployments(file)
    assert told in str(caught.value)
    with pytest.raises(SettingError, match="cannot be read"):
        deployments(tmp_path / "none.yaml")


def test_markdown_of_strangers_shows_itself_and_means_nothing() -> None:
    from flows.artifacts import markdown

    hostile = (
        "<img src=x onerror=alert(1)> [a](javascript:b) ![c](//d) `e` **f** | www.example.org\n# g\x1b[31m"
    )
    shown = markdown(hostile)
    assert not set(shown) & set("<>[]()!`*|\n\x1b")
    assert "www.example" not in shown
    assert len(markdown("x" * 10_000)) < 600


def test_a_server_that_is_away_is_told_once_in_a_run(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from prefect.settings import PREFECT_API_URL, PREFECT_CLIENT_MAX_RETRIES, temporary_settings

    from flows import artifacts

    class Looked(Tally):
        """Ends the run when it is looked at for the first time; its last state is sent after that."""

        times = 0

        def line(self) -> str:
            self.times += 1
            ended.set()
            return super().line()

    monkeypatch.setattr(artifacts, "PROGRESS_EVERY_S", 0.01)
    tally, ended = Looked(3), Event()
    nobody = {PREFECT_API_URL: "http://127.0.0.1:9/api", PREFECT_CLIENT_MAX_RETRIES: 0}
    with temporary_settings(nobody):
        artifacts._follow(uuid4(), "run", tally, ended)
    assert tally.times == 2
    assert capfd.readouterr().err.count("an artifact is missing in Prefect") == 1


def test_who_needs_no_gpu_takes_no_slot(tmp_path: Path) -> None:
    from flows.deployments.carried import gpu_slot

    with gpu_slot(Settings(home=tmp_path, gpu_limit="assay-gpu", engine="http://127.0.0.1:9")):
        pass  # Prefect's server, which is not there, was not asked

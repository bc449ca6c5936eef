"""Where shards run: what may be set, and what is said where that place is not to be had."""

from __future__ import annotations

import socket
from importlib.util import find_spec
from pathlib import Path

import pytest

from flows.reporting import wants_prefect
from flows.runner.address import check
from flows.settings import Settings, load
from schemas.errors import SettingError

needs_ray = pytest.mark.skipif(find_spec("prefect_ray") is None, reason="the `ray` extra is not installed")


def settings(home: Path, **given: object) -> Settings:
    return Settings.model_validate({"home": home, **given})


@pytest.mark.parametrize(
    "runner",
    [
        "raylet",
        "http://head:10001",
        "ray://head",
        "ray://me:secret@head:10001",
        "ray://head:0",
        "ray://h:1#x",
    ],
)
def test_what_is_no_runner_is_refused_without_showing_it(
    runner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_RUNNER", runner)
    with pytest.raises(SettingError, match="ASSAY_RUNNER") as refused:
        load()
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "staging",
    [
        "http://host/x",
        "s3://",
        "s3://key:secret@bucket/x",
        "file:///tmp",
        "s3://b?a=secret",
        "~nobody-here/x",
    ],
)
def test_what_is_no_place_for_shards_is_refused(staging: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_STAGING", staging)
    with pytest.raises(SettingError, match="ASSAY_STAGING") as refused:
        load()
    assert "secret" not in str(refused.value)


def test_a_folder_for_shards_holds_in_any_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert settings(tmp_path, staging="shared").staging == str(tmp_path / "shared")
    assert settings(tmp_path, staging="s3://bucket/night/").staging == "s3://bucket/night"


@needs_ray
def test_shards_are_tasks_of_prefect(tmp_path: Path) -> None:
    assert wants_prefect(settings(tmp_path, runner="ray"))
    with pytest.raises(SettingError, match="do not set ASSAY_PREFECT=never"):
        check(settings(tmp_path, runner="ray", prefect="never"))


@needs_ray
def test_a_cluster_that_is_not_there_is_named_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("Total 62.00")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    given = {
        "ASSAY_HOME": str(tmp_path / "home"),
        "ASSAY_RUNNER": f"ray://127.0.0.1:{port}",
        "PREFECT_API_URL": "http://127.0.0.1:9/api",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(
        SettingError, match=rf"ray://127.0.0.1:{port}: no Ray cluster answers there"
    ) as refused:
        check(load())
    assert "\n" not in str(refused.value)


@needs_ray
def test_workers_of_other_machines_need_a_server_to_report_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    with pytest.raises(SettingError, match="set PREFECT_API_URL"):
        check(settings(tmp_path, runner="ray://127.0.0.1:9"))


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flows.runner.address.NEEDED", ("no_such_library",))
    with pytest.raises(SettingError, match=r"no-such-library is not installed: install the `ray` extra"):
        check(settings(tmp_path, runner="ray"))

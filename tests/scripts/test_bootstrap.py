"""Setting up: which commands are run, in which order, and when nothing is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scripts import bootstrap

PYTHON = Path("somewhere/.venv/bin/python")


def commands(extra: str, settings: dict[str, str]) -> list[list[str]]:
    return list(bootstrap.sync_commands(PYTHON, Path("root"), extra, settings))


def test_configured_links_come_first_then_the_cpu_index() -> None:
    first, second = commands("cpu", {"find-links": "links more-links"})
    assert first[-4:] == ["--find-links", "links", "--find-links", "more-links"]
    assert "--torch-backend" not in first
    assert second[-2:] == ["--torch-backend", "cpu"]


def test_without_links_the_cpu_index_is_the_only_way() -> None:
    (only,) = commands("cpu", {})
    assert only[-2:] == ["--torch-backend", "cpu"]
    assert "--find-links" not in only


@pytest.mark.parametrize("extra", ["base", "gpu"])
def test_other_extras_have_one_way_and_no_cpu_build(extra: str) -> None:
    (only,) = commands(extra, {})
    assert "--torch-backend" not in only
    assert any(word.endswith(f"{extra}.txt") for word in only)


def test_a_mirror_that_pip_knows_is_handed_on() -> None:
    for command in commands("cpu", {"index-url": "mirror/simple", "find-links": "links"}):
        assert command[command.index("--default-index") + 1] == "mirror/simple"


def test_pip_settings_are_read_and_variables_win() -> None:
    lines = [":env:.find-links='from-env'", "global.find-links='from-file'", "install.cert='ca.pem'", "noise"]
    assert bootstrap.parse_pip_settings(lines) == {"find-links": "from-env", "cert": "ca.pem"}


def test_pip_really_lists_its_settings_in_that_form(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    assert bootstrap.pip_settings(Path(sys.executable))["find-links"] == str(tmp_path)


def test_a_certificate_of_uvs_own_wins_over_pips(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    assert bootstrap.uv_environment({"cert": "pip.pem"})["SSL_CERT_FILE"] == "pip.pem"
    monkeypatch.setenv("SSL_CERT_FILE", "own.pem")
    assert bootstrap.uv_environment({"cert": "pip.pem"})["SSL_CERT_FILE"] == "own.pem"


def test_the_fingerprint_follows_the_pins_the_extra_and_the_project(tmp_path: Path) -> None:
    (tmp_path / "requirements").mkdir()
    names = ["pyproject.toml", *(f"requirements/{name}.txt" for name in ("uv", "base", "cpu", "torch"))]
    for name in names:
        (tmp_path / name).write_text("one")
    seen = {bootstrap.fingerprint(tmp_path, "cpu"), bootstrap.fingerprint(tmp_path, "base")}
    for name in ("pyproject.toml", "requirements/torch.txt"):
        (tmp_path / name).write_text("two")
        seen.add(bootstrap.fingerprint(tmp_path, "cpu"))
    assert len(seen) == 4


def test_a_current_stamp_means_no_work(
    tmp_path: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "requirements").symlink_to(root / "requirements")
    (tmp_path / "pyproject.toml").symlink_to(root / "pyproject.toml")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "assay").touch()
    (tmp_path / ".venv" / ".assay-stamp").write_text(bootstrap.fingerprint(tmp_path, "cpu"))
    bootstrap.bootstrap(tmp_path, "cpu")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("version", [(3, 10), (3, 15), (2, 7)])
def test_a_python_that_the_pins_do_not_hold_for_is_refused(version: tuple[int, int]) -> None:
    with pytest.raises(bootstrap.SetupError, match=rf"3\.11 to 3\.14 is needed, this is {version[0]}"):
        bootstrap.check_version(version)


def test_an_unknown_extra_is_named_with_the_known_ones(root: Path) -> None:
    script = str(root / "scripts" / "bootstrap.py")
    done = subprocess.run([sys.executable, "-I", script, "tpu"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "'tpu': one of base, cpu, engine, gpu" in done.stderr


def test_a_failing_step_is_named() -> None:
    with pytest.raises(bootstrap.SetupError, match=r"this step failed: .*-c raise SystemExit"):
        bootstrap.run([sys.executable, "-c", "raise SystemExit(3)"])

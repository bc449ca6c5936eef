"""The Dockerfile: its stages, what it copies, and whom it runs as. No image can be built here."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.stack.compose import ROOT, SECRETS, config, tool
from tests.stack.dockerfile import FILE, lineage, stages

STAGES = stages(FILE.read_text())
TARGETS = ["base", "cpu", "gpu"]
IGNORED = (ROOT / ".dockerignore").read_text().splitlines()


def test_hadolint_finds_nothing() -> None:
    done = subprocess.run([tool("hadolint"), str(FILE)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_compose_builds_the_targets_that_there_are() -> None:
    services = config({**SECRETS}, "cpu", "gpu")["services"].values()
    built = {(one["build"]["target"], one["image"]) for one in services if "build" in one}
    assert {target for target, _ in built} == set(TARGETS)
    assert all(image.endswith(f"-{target}") for target, image in built)


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_holds_all_folders_of_the_code_and_ends_as_another_user(target: str) -> None:
    line = lineage(STAGES, target)
    copied = {rest.split()[-1] for stage in line for rest in stage.all("COPY")}
    assert copied >= {"schemas", "extractors", "validators", "warehouse", "flows", ".venv"}
    user = [rest for stage in line for rest in stage.all("USER")][-1]
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user)


def test_what_is_copied_is_there_and_not_ignored() -> None:
    sources = [source for stage in STAGES.values() for rest in stage.all("COPY") for source in _sources(rest)]
    assert len(sources) >= 10
    for source in sources:
        assert (ROOT / source).exists(), source
        assert f"!{source.removesuffix('/')}" in IGNORED


def test_nothing_else_reaches_the_build() -> None:
    assert IGNORED[1] == "*"
    allowed = {line.removeprefix("!") for line in IGNORED if line.startswith("!")}
    copied = {source for stage in STAGES.values() for rest in stage.all("COPY") for source in _sources(rest)}
    assert allowed == copied


def test_stages_that_are_copied_from_exist_and_every_base_is_pinned() -> None:
    for stage in STAGES.values():
        assert stage.parent in STAGES or re.search(r":\d+\.\d+\.\d+", stage.parent)
        for rest in stage.all("COPY"):
            (origin,) = re.findall(r"--from=(\S+)", rest) or [""]
            assert not origin or origin in STAGES


def test_folders_of_volumes_belong_to_the_user_that_writes_them() -> None:
    made = " ".join(rest for rest in STAGES["python"].all("RUN"))
    services = config({**SECRETS}, "cpu", "gpu")["services"].values()
    targets = {
        volume["target"]
        for one in services
        if one["image"].startswith("assay:")
        for volume in one.get("volumes", [])
    }
    assert targets == {"/models", "/var/lib/assay", "/var/lib/prefect"}
    assert "--owner=assay" in made
    assert all(f" {target}" in made for target in targets)
    assert {one["user"] for one in services if one["image"].startswith("assay:")} == {"10001:10001"}


def test_the_set_up_knows_what_is_installed() -> None:
    from scripts.bootstrap import REQUIREMENTS

    extras = [
        rest.split()[-1] for stage in STAGES.values() for rest in stage.all("RUN") if "bootstrap" in rest
    ]
    assert sorted(extras) == ["base", "engine", "gpu"]
    for extra in extras:
        assert all((ROOT / "requirements" / name).is_file() for name in REQUIREMENTS[extra])


def _sources(rest: str) -> list[str]:
    """What is copied from the context."""
    words = rest.split()
    if words[0].startswith("--from="):
        return []
    return words[:-1] if Path(words[-1]).suffix != ".py" else words

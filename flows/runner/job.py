"""What a worker is told of a run, once, and of each shard; and what it says of one that is staged."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from flows.intake import Portion
from flows.order import Order
from flows.pipeline import EngineFactory
from flows.plan import Plan
from flows.settings import Settings
from schemas.records import Outcome

_SECRETS = ("engine_api_key", "prefect_api_key")


@dataclass(frozen=True, slots=True)
class Job:
    """A run, as every worker of it is told. `done` and `purged` are documents to leave alone.

    It holds no secret: a worker takes those from its own environment. `release` comes first, so that another
    one reads it as well, whatever has become of the rest.
    """

    release: str
    run_id: str
    order: Order
    settings: Settings
    recipe: str  # as JSON: a record of mappings that cannot change does not pickle
    done: frozenset[str]
    purged: frozenset[str]
    start_engine: EngineFactory


@dataclass(frozen=True, slots=True)
class Part:
    """The blobs of one shard."""

    shard_id: str
    intake: Portion
    blobs: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one part: it is staged, or refused for a reason that is this worker's own.

    `fatal`: no other worker could do it either.
    """

    outcomes: tuple[Outcome, ...] = ()
    refused: str | None = None
    fatal: bool = False
    compile_s: float = 0.0
    host: str = field(default_factory=lambda: os.uname().nodename)


def job_of(plan: Plan, run_id: str, start_engine: EngineFactory) -> Job:
    """The job of a plan, with paths that hold in any working folder."""
    secrets = dict.fromkeys(_SECRETS)
    settings = plan.settings.model_copy(update={**secrets, **_absolute(plan.settings)})
    purged: frozenset[str] = getattr(plan.intake, "purged", frozenset())
    order = replace(plan.order, blobs=None)
    return Job(
        release(), run_id, order, settings, plan.recipe.model_dump_json(), plan.done, purged, start_engine
    )


def release() -> str:
    """Which release of Assay this is."""
    return version("assay")


def _absolute(settings: Settings) -> dict[str, Path]:
    named = ("home", "model", "schemas")
    given = {name: getattr(settings, name) for name in named}
    return {name: path.absolute() for name, path in given.items() if path is not None}


def settings_here(job: Job) -> Settings:
    """The run's settings on this machine: where its model and schemas lie may be said in its environment."""
    own: dict[str, Any] = {}
    for name in ("model", "schemas"):
        if given := os.environ.get(f"ASSAY_{name.upper()}"):
            own[name] = Path(given)
    if key := os.environ.get("ASSAY_ENGINE_API_KEY"):
        own["engine_api_key"] = SecretStr(key.strip())
    return job.settings.model_copy(update=own)

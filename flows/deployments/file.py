"""Deployments as `prefect.yaml` describes them, for a process that serves them itself."""

from __future__ import annotations

import logging
import os
from collections.abc import Collection, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import yaml
from prefect.client.schemas.actions import DeploymentScheduleCreate
from prefect.client.schemas.objects import ConcurrencyLimitConfig
from prefect.client.schemas.schedules import CronSchedule, IntervalSchedule, RRuleSchedule
from prefect.deployments.runner import RunnerDeployment
from prefect.exceptions import PrefectException
from prefect.flows import load_flow_from_entrypoint
from prefect.utilities.templating import apply_values
from pydantic import BaseModel, ValidationError

from schemas.errors import SettingError

_SCHEDULES: dict[str, type[BaseModel]] = {
    "cron": CronSchedule,
    "interval": IntervalSchedule,
    "rrule": RRuleSchedule,
}
_ABOUT = ("active", "slug", "parameters")
_OURS = {"name", "entrypoint", "schedules", "concurrency_limit", "parameters", "description", "tags"}
_PREFECTS = {"work_pool", "version", "pull", "build", "push", "enforce_parameter_schema"}
"""What `prefect deploy` reads, and nobody needs where the flows are served."""


def deployments(file: Path, only: Collection[str] = ()) -> list[RunnerDeployment]:
    """The deployments in `file`, or those that are named. Raises SettingError, naming what is wrong."""
    found = [one for one in _described(file) if not only or one.get("name") in only]
    missing = set(only) - {str(one.get("name")) for one in found}
    if missing or not found:
        raise SettingError(f"{file}: no deployment {', '.join(sorted(missing)) or 'at all'} there")
    return [_deployment(file, one) for one in found]


def _described(file: Path) -> list[dict[str, Any]]:
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingError(
            f"{file} cannot be read ({error.strerror}): name the file of deployments with --file"
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SettingError(f"{file} is no YAML: {error}") from error
    listed = content.get("deployments") if isinstance(content, dict) else None
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise SettingError(f"{file}: `deployments` is no list of deployments")
    return listed


def _deployment(file: Path, described: Mapping[str, Any]) -> RunnerDeployment:
    told: dict[str, Any] = apply_values(dict(described), os.environ, remove_notset=False)
    name = str(told.get("name"))
    try:
        if unknown := set(told) - _OURS - _PREFECTS:
            raise ValueError(f"a deployment has no {', '.join(sorted(unknown))}")
        made = RunnerDeployment.from_entrypoint(
            told["entrypoint"],
            name,
            schedules=_schedules(told.get("schedules") or []),
            concurrency_limit=_limit(told.get("concurrency_limit")),
            parameters=told.get("parameters") or {},
            description=told.get("description"),
            tags=told.get("tags") or [],
        )
        _try_parameters(made)
    except (ValueError, TypeError, ArithmeticError, KeyError, ImportError, PrefectException) as error:
        raise SettingError(f"{file}: deployment {name}: {_reason(error)}") from error
    return made


def _limit(given: Any) -> Any:
    return ConcurrencyLimitConfig.model_validate(given) if isinstance(given, dict) else given


def _schedules(given: Any) -> list[DeploymentScheduleCreate]:
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise ValueError("`schedules` is no list of schedules")
    return [_schedule(one) for one in given]


def _schedule(given: Mapping[str, Any]) -> DeploymentScheduleCreate:
    """One schedule of the file, in the words of Prefect's client."""
    kind = next((one for one in _SCHEDULES if one in given), None)
    if kind is None:
        raise ValueError("a schedule has a cron, an interval or an rrule")
    rule = _SCHEDULES[kind]
    if unknown := set(given) - set(rule.model_fields) - set(_ABOUT):
        raise ValueError(f"a schedule with {kind} has no {', '.join(sorted(unknown))}")
    when = {key: given[key] for key in rule.model_fields if given.get(key) is not None}
    if isinstance(when.get("interval"), int | float):
        when["interval"] = timedelta(seconds=when["interval"])
    about = {key: given[key] for key in _ABOUT if given.get(key) is not None}
    return DeploymentScheduleCreate.model_validate({"schedule": rule.model_validate(when), **about})


def _try_parameters(made: RunnerDeployment) -> None:
    """Wrong parameters are told now, and not in the middle of the night."""
    flow = load_flow_from_entrypoint(str(made.entrypoint))
    log = logging.getLogger("prefect.flows")  # it would write the parameters as they are, secrets too
    log.disabled = True
    try:
        flow.validate_parameters(dict(made.parameters))
    finally:
        log.disabled = False


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
    return f"it lacks {error}" if isinstance(error, KeyError) else str(error)

"""A user's own expectations: Great Expectations' own JSON for a suite, beside the schema file.

`invoice/v2.expectations.json` holds `{"expectations": [{"type": …, "kwargs": {"column": …, …}}]}`; the
columns are the metrics of a run. `severity` is critical where none is given.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast, get_args

from schemas.errors import UsageError
from warehouse.expectations import Expectation, Severity

_SEVERITIES = get_args(Severity)
# What the library itself writes beside the four that count here.
_IGNORED = {"id", "meta", "description", "rendered_content", "expectation_context", "success_on_last_run"}


def load_suite(path: Path) -> tuple[Expectation, ...]:
    """The expectations of a file; none where there is no file. Raises UsageError that names what is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    try:
        content = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no JSON: {error}") from error
    listed = content.get("expectations") if isinstance(content, dict) else None
    if not isinstance(listed, list):
        raise UsageError(f'{path}: an object with a list "expectations" is expected.')
    return tuple(_expectation(f"{path}: expectation {number}", one) for number, one in enumerate(listed, 1))


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number in JSON")


def _expectation(where: str, given: Any) -> Expectation:
    if not isinstance(given, dict) or not isinstance(given.get("type"), str):
        raise UsageError(f'{where}: an object with a "type" is expected.')
    unknown = set(given) - _IGNORED - {"type", "kwargs", "severity", "notes"}
    if unknown:
        raise UsageError(f"{where}: no such key: {', '.join(sorted(unknown))}.")
    kwargs, severity = given.get("kwargs", {}), given.get("severity", "critical")
    if not isinstance(kwargs, dict):
        raise UsageError(f'{where}: "kwargs" must be an object.')
    if severity not in _SEVERITIES:
        raise UsageError(f'{where}: "severity" is one of {", ".join(_SEVERITIES)}.')
    kwargs = {name: value for name, value in kwargs.items() if name != "batch_id"}
    return Expectation(given["type"], kwargs, cast(Severity, severity), "own", str(given.get("notes") or ""))

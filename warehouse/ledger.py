"""What is to be recorded while somebody else holds the database: notes in the staging folder.

A note is one JSON file, whole or not there. Landing takes it up: a run's beginning before the shards, all
else after them. Each can be taken up twice: a kill may come between the record and the file's removal.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

import duckdb

from warehouse import copies, runs
from warehouse.connection import transaction
from warehouse.files import write_whole

Kind: TypeAlias = Literal["begun", "ended", "copied"]

_log = logging.getLogger(__name__)
_SUFFIX = ".note.json"
_TAKE_UP: dict[str, Callable[..., None]] = {
    "begun": runs.begin,
    "ended": runs.end,
    "copied": copies.add,
}


def tell(folder: Path, kind: Kind, /, **what: Any) -> None:
    """Leave a note. Its name is in the order of time. Raises WarehouseError where the disk is full."""
    text = json.dumps({"kind": kind, "what": what}, default=datetime.isoformat)
    write_whole(folder / f"{runs.new_run_id()}{_SUFFIX}", text.encode())


def notes(folder: Path) -> list[Path]:
    """The notes that wait, the oldest first."""
    return sorted(folder.glob(f"*{_SUFFIX}")) if folder.is_dir() else []


def take_up(connection: duckdb.DuckDBPyConnection, paths: list[Path], *, begun: bool) -> None:
    """Record those notes that are about a beginning, or all others, and remove them."""
    for path in paths:
        told = _read(path)
        if told is None or (told["kind"] == "begun") is not begun:
            continue
        with transaction(connection):
            _TAKE_UP[told["kind"]](connection, **told["what"])
        path.unlink(missing_ok=True)


def _read(path: Path) -> Mapping[str, Any] | None:
    """A note; None where another process took it up, or where it is none of ours, which is logged."""
    try:
        told = json.loads(path.read_bytes())
        if told["kind"] in _TAKE_UP:
            return {"kind": told["kind"], "what": dict(told["what"])}
        reason = f"an unknown kind {told['kind']!r}"
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = str(error)
    _log.error("%s is left where it is: %s", path, reason)
    return None

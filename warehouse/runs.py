"""The record of each run: when it began, whether it still lives, how it ended."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import duckdb

from schemas.errors import WarehouseError
from schemas.records import Status
from warehouse.current import choose
from warehouse.processes import is_alive
from warehouse.rows import now

# A run's heart beats at each landing, and its owner may beat it between; silence for this long is death.
SILENCE_S = 3600.0
ENDINGS = ("finished", "interrupted", "failed", "crashed")


def new_run_id() -> str:
    """A UUIDv7: unique, and in the order of time (RFC 9562, section 5.7)."""
    milliseconds = time.time_ns() // 1_000_000
    number = (milliseconds << 80) | int.from_bytes(os.urandom(10), "big")
    number = number & ~(0xF << 76) | (0x7 << 76)
    number = number & ~(0x3 << 62) | (0x2 << 62)
    return str(UUID(int=number))


@dataclass(frozen=True, slots=True)
class Beginning:
    """A run that begins. `retry` names the statuses that it does again; times are UTC without a zone."""

    run_id: str
    kind: str
    schema: str
    recipe_id: str
    source: str
    retry: list[str]
    host: str
    pid: int
    started_at: datetime


def beginning(
    kind: str, schema: str, recipe_id: str, source: str, pid: int, retry: Iterable[Status] = ()
) -> Beginning:
    """A run that begins now, on this machine, with a new run_id."""
    statuses = sorted(str(status) for status in retry)
    return Beginning(
        new_run_id(), kind, schema, recipe_id, source, statuses, socket.gethostname(), pid, now()
    )


def begin(connection: duckdb.DuckDBPyConnection, **run: Any) -> None:
    """Record a Beginning, given by its fields. One that is recorded stays as it is."""
    connection.execute(
        """INSERT OR IGNORE INTO runs BY NAME SELECT $run_id AS run_id, $kind AS kind, $schema AS schema,
        $recipe_id AS recipe_id, $source AS source, $retry AS retry, 'running' AS status, $host AS host,
        $pid AS pid, $started_at::TIMESTAMP AS started_at, $started_at::TIMESTAMP AS heartbeat_at""",
        run,
    )


def beat(connection: duckdb.DuckDBPyConnection, run_id: str) -> None:
    """Say that a run still lives."""
    connection.execute("UPDATE runs SET heartbeat_at = ? WHERE run_id = ?", [now(), run_id])


def finish(
    connection: duckdb.DuckDBPyConnection,
    run_id: str,
    status: str,
    counts: Mapping[str, float],
    message: str | None = None,
    moment: datetime | str | None = None,
) -> None:
    """Record how a run ended. `documents` is counted from what was landed, `counts` is what the run counted,
    `moment` when it ended, which is now where it is not given.

    Raises WarehouseError for an unknown run or ending.
    """
    if status not in ENDINGS:
        raise WarehouseError(f"{status!r} is no ending of a run: {', '.join(ENDINGS)}.")
    changed = connection.execute(
        """UPDATE runs SET status = $status, counts = $counts, message = $message,
        finished_at = $moment::TIMESTAMP, heartbeat_at = $moment::TIMESTAMP,
        documents = (SELECT count(*) FROM extractions WHERE extractions.run_id = $run)
        WHERE run_id = $run RETURNING run_id""",
        {
            "run": run_id,
            "status": status,
            "counts": json.dumps(dict(counts)),
            "message": message,
            "moment": moment or now(),
        },
    ).fetchall()
    if not changed:
        raise WarehouseError(f"there is no run {run_id}.")


def end(connection: duckdb.DuckDBPyConnection, **ending: Any) -> None:
    """Record an ending that was told later, given by the parameters of `finish`; a recorded one stays.

    What others took for its end, its silence, is none.
    """
    still = "SELECT 1 FROM runs WHERE run_id = ? AND (finished_at IS NULL OR status = 'crashed')"
    if connection.execute(still, [ending["run_id"]]).fetchall():
        finish(connection, **ending)


def dead(connection: duckdb.DuckDBPyConnection, silence_s: float = SILENCE_S) -> list[str]:
    """The running runs whose process is gone; of another machine's, those silent for `silence_s` seconds."""
    rows = connection.execute(
        "SELECT run_id, host, pid, heartbeat_at, started_at FROM runs WHERE status = 'running'"
    ).fetchall()
    here, oldest = socket.gethostname(), now() - timedelta(seconds=silence_s)
    return [
        run
        for run, host, pid, beat, started in rows
        if (not is_alive(pid, started) if host == here else beat <= oldest)
    ]


def bury(connection: duckdb.DuckDBPyConnection, silence_s: float = SILENCE_S) -> list[str]:
    """Mark the runs that `dead` finds as `crashed`; their run_ids. Call within a transaction."""
    found = dead(connection, silence_s)
    for run_id in found:
        finish(connection, run_id, "crashed", {}, "its process ended without a word")
    return found


def quarantine(connection: duckdb.DuckDBPyConnection, run_id: str) -> None:
    """Keep an ended run out of what is current; what it had replaced counts again. Call within a transaction.

    Raises WarehouseError for a run that is unknown or still running.
    """
    _change_status(connection, run_id, "'quarantined', ended_as = status", ENDINGS)


def release(connection: duckdb.DuckDBPyConnection, run_id: str) -> None:
    """Let a run in quarantine count again, as it had ended; call within a transaction.

    Raises WarehouseError for any other run.
    """
    _change_status(connection, run_id, "coalesce(ended_as, 'finished')", ("quarantined",))


def _change_status(
    connection: duckdb.DuckDBPyConnection, run_id: str, status: str, before: tuple[str, ...]
) -> None:
    changed = connection.execute(
        f"UPDATE runs SET status = {status} WHERE run_id = ? AND list_contains(?, status) RETURNING run_id",
        [run_id, list(before)],
    ).fetchall()
    if not changed:
        raise WarehouseError(f"there is no run {run_id} that is {' or '.join(before)}.")
    documents = "SELECT document_id FROM extractions WHERE run_id = $run"
    choose(connection, documents, {"run": run_id})

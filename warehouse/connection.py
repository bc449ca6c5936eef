"""Opening the database: late, briefly, one writer at a time.

DuckDB lets one process hold the file for writing, and while it does every other opening fails at once, also
one for reading. So nobody keeps it open: open, do the work, close, and wait with a time limit for others.
Source: https://duckdb.org/docs/stable/connect/concurrency
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from schemas.errors import WarehouseError, WarehouseLocked
from warehouse.said import said

WAIT_S = 30.0
END_S = 5.0
"""Seconds to wait at the end of a run, before its results are left to the next landing."""
BRIEF_S = 0.5
"""Seconds to wait for what can be done later as well."""
_PAUSE_S = 0.05
_HOLDER = re.compile(r"held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")
_gates: dict[Path, threading.RLock] = {}
_gates_guard = threading.Lock()


@contextmanager
def opened(
    path: Path, *, read_only: bool = False, writes_to: Path | None = None, wait_s: float = WAIT_S
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection, closed on leaving. Threads of this process take turns, other processes are waited for.

    A reader may neither touch files nor lift that ban, but for those in the folder `writes_to`.

    Raises WarehouseLocked after `wait_s` seconds, WarehouseError where the file is no database of ours.
    """
    deadline = time.monotonic() + wait_s
    with _turn(path, wait_s):
        connection = _connect(path, read_only, deadline, wait_s)
        try:
            if read_only:
                _fence(connection, writes_to)
            yield connection
        finally:
            connection.close()


@contextmanager
def _turn(path: Path, wait_s: float) -> Iterator[None]:
    """One thread of this process at a time: DuckDB refuses a second opening with other settings."""
    with _gates_guard:
        gate = _gates.setdefault(path.resolve(), threading.RLock())
    if not gate.acquire(timeout=max(wait_s, 0.0)):
        raise WarehouseLocked(f"{path} is held by another thread of this process; waited {wait_s:g} s.")
    try:
        yield
    finally:
        gate.release()


def _connect(path: Path, read_only: bool, deadline: float, wait_s: float) -> duckdb.DuckDBPyConnection:
    while True:
        try:
            return _attempt(path, read_only)
        except duckdb.Error as error:
            if not _is_lock(error):
                raise WarehouseError(f"{path} cannot be opened by DuckDB: {said(error)}") from error
            if time.monotonic() >= deadline:
                raise WarehouseLocked(_locked_message(path, str(error), wait_s)) from error
        time.sleep(_PAUSE_S)


def _attempt(path: Path, read_only: bool) -> duckdb.DuckDBPyConnection:
    if read_only:
        return duckdb.connect(str(path), read_only=True)
    return duckdb.connect(str(path))


def _fence(connection: duckdb.DuckDBPyConnection, writes_to: Path | None) -> None:
    """A person's SQL may neither read a file nor write one, and may not lift that ban."""
    if writes_to is not None:
        folder = str(writes_to).replace("'", "''")
        connection.execute(f"SET allowed_directories = ['{folder}']")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _is_lock(error: duckdb.Error) -> bool:
    text = str(error)
    return "Could not set lock" in text or "different configuration" in text


def _locked_message(path: Path, error: str, wait_s: float) -> str:
    holder = _HOLDER.search(error)
    who = f"process {holder['pid']} ({holder['program']})" if holder else "another process"
    return f"{path} is held by {who}; waited {wait_s:g} s. Try again when it is done, or end it."


@contextmanager
def transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """All or nothing: commits on leaving, rolls back on any error."""
    connection.execute("BEGIN TRANSACTION")
    try:
        yield
    except BaseException:
        # A second error while cleaning up must not hide the first.
        with suppress(duckdb.Error):
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")

"""One extraction at a time in one home. The kernel frees the lock when its holder dies, however it dies."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from flows.output import note, safe
from schemas.errors import UsageError, WarehouseError

_LOOK_EVERY_S = 10.0


@contextmanager
def exclusive(home: Path, wait_s: float = 0.0) -> Iterator[None]:
    """Hold `home` for a run. Raises UsageError, naming the holder, where another has it for `wait_s` s."""
    with opened(home) as file:
        _acquire_within(file, home, wait_s)
        yield


def opened(home: Path) -> IO[bytes]:
    """The file that is locked. Raises WarehouseError where a home cannot be made, or written to."""
    try:
        home.mkdir(parents=True, exist_ok=True)
        return (home / "extract.lock").open("a+b", buffering=0)
    except OSError as error:
        raise WarehouseError(f"{home} cannot be used as ASSAY_HOME: {error.strerror or error}") from error


def _acquire_within(file: IO[bytes], home: Path, wait_s: float) -> None:
    until = time.monotonic() + wait_s
    while True:
        try:
            return _acquire(file, home)
        except UsageError as error:
            if time.monotonic() >= until:
                raise
            note(f"assay: {safe(str(error))} Waiting.")
            time.sleep(min(_LOOK_EVERY_S, max(until - time.monotonic(), 0.0)))


def _acquire(file: IO[bytes], home: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read().decode(errors="replace").strip() or "unknown"
        raise UsageError(
            f"another run (process {holder}) is extracting into {home}; "
            "wait for it, or set ASSAY_HOME to another folder."
        ) from None
    file.truncate(0)
    with suppress(OSError):  # a full disk: the lock holds all the same, without its holder's name
        file.write(str(os.getpid()).encode())

"""A copy of the database file that someone may keep open as long as they like.

While it is copied the file is held for reading, which other readers may share, and no writer comes between.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import duckdb

from schemas.errors import UsageError, WarehouseError
from warehouse.connection import WAIT_S, opened
from warehouse.files import flush, writing
from warehouse.said import said


def refuse_existing(database: Path, file: Path, *, replace: bool = False) -> None:
    """Raises UsageError where `file` is there already, unless it may be replaced and is not the database."""
    if file.exists() and (not replace or not file.is_file() or file.samefile(database)):
        raise UsageError(
            f"{file} is there already: choose another name, or replace an old snapshot by --force"
        )


def snapshot(database: Path, file: Path, *, wait_s: float = WAIT_S) -> None:
    """Copy the database to `file`, which is there whole or not at all; one that is there is replaced.

    Raises WarehouseError for a full disk, WarehouseLocked as `opened` does.
    """
    with writing(file.parent):
        file.parent.mkdir(parents=True, exist_ok=True)
    _fold_log(database, wait_s)
    with opened(database, read_only=True, wait_s=wait_s):
        if log_of(database).exists():  # a writer came between the two openings, and died in it
            raise WarehouseError(f"{database} was just left by a process that died. Try again.")
        _copy(database, file)


def log_of(database: Path) -> Path:
    """The file that holds what is not in the database file yet."""
    return database.with_name(f"{database.name}.wal")


def _fold_log(database: Path, wait_s: float) -> None:
    """A log is left only by a writer that died: without it the file alone is not the whole database."""
    if log_of(database).exists():
        try:
            with opened(database, wait_s=wait_s) as connection:
                connection.execute("CHECKPOINT")
        except duckdb.Error as error:
            raise WarehouseError(f"{database} was left as it was: {said(error)}") from error


def _copy(database: Path, file: Path) -> None:
    aside = file.with_name(f".{file.name}.{os.getpid()}.{uuid4().hex[:8]}.tmp")
    with writing(file.parent):
        try:
            shutil.copyfile(database, aside)
            flush(aside)
            aside.replace(file)
        finally:
            with suppress(FileNotFoundError):
                aside.unlink()
        flush(file.parent)

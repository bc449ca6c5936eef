"""Files that are whole or not there: written aside, flushed to the disk, renamed into place."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from schemas.errors import WarehouseError


def write_whole(path: Path, data: bytes) -> None:
    """Write `data` so that `path` holds all of it or is untouched, also after a power cut.

    Raises WarehouseError where the disk is full or the folder cannot be written.
    """
    with whole(path) as file:
        file.write(data)


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write into, which becomes `path` on leaving; after an error `path` is untouched."""
    with writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(f".{path.name}.{os.getpid()}.{uuid4().hex[:8]}.tmp")
        try:
            with aside.open("wb") as file:
                yield file
            flush(aside)
            aside.replace(path)
        finally:
            with suppress(FileNotFoundError):
                aside.unlink()
        flush(path.parent)


def flush(path: Path) -> None:
    """Make a file's content, or a folder's list of names, survive a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Translate the system's errors while something is written under `folder`."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise WarehouseError(f"the disk is full: {folder} was left as it was. Make room.") from error
        raise WarehouseError(f"{folder} cannot be written: {error.strerror or error}") from error

"""The folders of staged shards: which wait, and which were left half written.

`staging/<shard>/` waits for landing. What is still being written is `staging/.<shard>.<host>.<pid>.…`:
several machines may share the folder, and a process is known by its number on its own machine only.
Here is only what needs no Arrow, so that a run with nothing to land does not load it.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from warehouse.files import flush
from warehouse.processes import is_alive

_SHARD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_ASIDE = re.compile(r"\.[^.]+(?:\.(?P<host>[^.]+))?\.(?P<pid>[0-9]+)\.[0-9a-f]{8}")
_LONG_GONE_S = 86_400.0
"""A shard is written within seconds: one of another machine that is this old was given up."""


def is_name(shard_id: str) -> bool:
    """Whether a shard may be called so: a plain word, which cannot lead out of the folder."""
    return bool(_SHARD.fullmatch(shard_id))


@contextmanager
def beside(place: Path) -> Iterator[Path]:
    """A new folder beside `place` to make a shard in; on leaving it is gone, or `settle` has moved it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    aside = place.with_name(f".{place.name}.{_host()}.{os.getpid()}.{uuid4().hex[:8]}")
    try:
        aside.mkdir()
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def settle(aside: Path, place: Path) -> None:
    """Move a whole shard into place, to stay there after a power cut. One that waits there already stays."""
    flush(aside)
    try:
        aside.rename(place)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
    flush(place.parent)


def waiting(folder: Path) -> list[Path]:
    """The shards that wait for landing, in the order of their names."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_dir() and is_name(path.name))


def sweep(folder: Path) -> None:
    """Remove what processes that are gone left half written."""
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        named = _ASIDE.fullmatch(path.name)
        if named and _is_gone(path, named["host"], int(named["pid"])):
            shutil.rmtree(path, ignore_errors=True)


def _is_gone(path: Path, host: str | None, pid: int) -> bool:
    if host in (None, _host()):
        return not is_alive(pid)
    try:
        return time.time() - path.stat().st_mtime > _LONG_GONE_S
    except FileNotFoundError:  # it was finished meanwhile
        return False


def _host() -> str:
    """This machine's name as a part of a file's name."""
    return re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname())

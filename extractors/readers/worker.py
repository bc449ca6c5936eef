"""The process that reads documents: `python -m extractors.readers.worker PARENT MEMORY_BYTES TIMEOUT_S`.

It takes frames on stdin and answers on stdout, one document after the other. It ends with its parent: by the
kernel's word (Linux), or when stdin closes; and a read that outlives its time is ended by an alarm, so that
no hang survives even a parent that was killed.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Callable
from typing import BinaryIO

from extractors.orphans import die_with
from extractors.readers.frames import Frame, pack, unpack
from extractors.readers.reading import Reading
from schemas.errors import ReadError
from schemas.records import Category

Read = Callable[[bytes, Callable[[str, str], None]], Reading]
_GRACE_S = 2.0
"""Seconds that the pool has to end a late read itself before the alarm does."""


def main(read: Read | None = None) -> None:
    """Serves until stdin closes, with `read` or the readers of this package."""
    parent, memory_bytes, timeout_s = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    die_with(parent)
    source, sink = _take_pipes()
    read = read or _readers()
    _limit(memory_bytes)
    # The kernel counts the parent's memory at the fork into this process's peak: what is above is our own.
    _send(sink, {"peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss})
    _serve(source, sink, read, timeout_s)


def _readers() -> Read:
    from extractors.readers.dispatch import read  # after the pipes are safe from what an import may print

    return read


def _serve(
    source: BinaryIO,
    sink: BinaryIO,
    read: Read,
    timeout_s: float,
) -> None:
    """Answers each frame on `source` with one on `sink`, the media type before it."""
    while True:
        try:
            request = unpack(lambda size: _exactly(source, size))
        except EOFError:
            return
        signal.setitimer(signal.ITIMER_REAL, timeout_s + _GRACE_S)
        header, parts = _answer(request, sink, read)
        _send(sink, header, parts)
        signal.setitimer(signal.ITIMER_REAL, 0)


def _answer(request: Frame, sink: BinaryIO, read: Read) -> tuple[dict[str, object], list[bytes]]:
    """The header and parts for one request. Whatever goes wrong in a reader is the document's category."""
    try:
        reading = read(request.parts[0], lambda kind, name: _send(sink, {"media_type": kind, "reader": name}))
    except ReadError as error:
        return {"category": error.category.value, "message": str(error)}, []
    except MemoryError:
        return {"category": Category.TOO_LARGE.value, "message": "", "memory": True}, []
    except BaseException as error:  # noqa: BLE001 - a panic of a Rust library is no Exception
        message = f"The reader failed ({type(error).__name__}: {error}); save the document again."
        return {"category": Category.UNREADABLE.value, "message": message[:500]}, []
    header: dict[str, object] = {
        "page_starts": reading.page_starts,
        "note": reading.note,
        "names": [attachment.name for attachment in reading.attachments],
    }
    return header, [
        reading.text.encode("utf-8", "replace"),
        *(attachment.data for attachment in reading.attachments),
    ]


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """stdin and stdout for frames alone; what a library prints goes to stderr."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return source, sink


def _limit(memory_bytes: int) -> None:
    """Bounds the address space (bytes), writes no core files, and lets the alarm kill."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":  # elsewhere RLIMIT_AS is not enforced or not settable
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _exactly(source: BinaryIO, size: int) -> bytes:
    data = source.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _send(sink: BinaryIO, header: dict[str, object], parts: list[bytes] | None = None) -> None:
    sink.writelines(pack(header, parts or []))
    sink.flush()


if __name__ == "__main__":
    main()

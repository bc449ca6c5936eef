"""A worker whose one reader does what the document's text asks for: what a broken library would do."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable

from extractors.readers.reading import Attachment, Reading
from extractors.readers.worker import main
from schemas.errors import ReadError
from schemas.records import Category


def read(data: bytes, announce: Callable[[str, str], None]) -> Reading:
    """Obeys, or echoes the text. `leak` makes this process fail at its next read."""
    announce("text/plain", "text")
    order = data.decode().split()[0]
    if order in _ORDERS:
        _ORDERS[order]()
    if _leaked and order != "leak":
        ctypes.string_at(0)
    if order == "fail":
        raise ReadError(Category.UNREADABLE, "as asked")
    attachments = (Attachment("again", data + b"!"),) if order == "nest" else ()
    return Reading(data.decode(), attachments=attachments, note=f"pid {os.getpid()}")


def _segfault() -> None:
    ctypes.string_at(0)


def _hang_holding_the_interpreter() -> None:
    ctypes.PyDLL(None).sleep(60)


def _eat() -> None:
    bytearray(64 * 1024**3)


def _eat_slowly() -> None:
    kept = []
    while True:
        kept.append(bytearray(8 << 20))


def _leave() -> None:
    os._exit(3)


def _chat() -> None:
    os.write(1, b"a library's greeting\n")


_leaked: list[bool] = []
_ORDERS: dict[str, Callable[[], object]] = {
    "segfault": _segfault,
    "hang": lambda: time.sleep(60),
    "hold": _hang_holding_the_interpreter,
    "eat": _eat,
    "nibble": _eat_slowly,
    "leave": _leave,
    "chat": _chat,
    "leak": lambda: _leaked.append(True),
    "bug": lambda: 1 // 0,
}

if __name__ == "__main__":
    main(read)

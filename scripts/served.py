"""The review desk on a port of this machine for as long as somebody looks: pictures, and browser tests."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from flows.review.app import build
from flows.review.desk import Desk
from flows.review.guard import Access
from schemas.registry import load as load_registry
from warehouse.store import Warehouse


@contextmanager
def served(home: Path, model: Path | None = None, person: str = "ada") -> Iterator[str]:
    """Its address. `home` is the warehouse's; `model` counts the legal tokens of an attempt."""
    app = build(Desk(Warehouse(home), load_registry(None), model=model), Access(person), ["127.0.0.1"])
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()

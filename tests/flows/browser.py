"""A page in a real browser without a window: Chromium, as Debian packages it."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome")
# Nothing that the browser does of its own accord, so that what it asks for is the page's doing.
_QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-default-apps"),
    *(
        "--disable-domain-reliability",
        "--disable-extensions",
        "--disable-breakpad",
        "--metrics-recording-only",
    ),
    *("--disable-features=OptimizationHints,MediaRouter,Translate", "--proxy-bypass-list=<-loopback>"),
)
# What Chromium asks for by itself even so: the time, its components.
_OWN = re.compile(r"^\S+ (?:https?://)?[\w.-]+\.(?:google|googleapis|gvt1)\.com[:/]")


@dataclass
class Network:
    """A proxy that lets nothing through and remembers who asked for what."""

    port: int
    asked: list[str] = field(default_factory=list)


def dom(page: Path, profile: Path, *, budget_ms: int = 20_000) -> tuple[str, list[str]]:
    """The page's DOM once its scripts have run, and what it asked of the network. Skips without a browser."""
    browser = next(filter(None, map(shutil.which, _NAMES)), None)
    if browser is None:
        pytest.skip("no Chromium here")
    with _recorded() as network:
        done = subprocess.run(
            [
                browser,
                *_QUIET,
                f"--proxy-server=127.0.0.1:{network.port}",
                f"--user-data-dir={profile}",
                f"--virtual-time-budget={budget_ms}",
                "--dump-dom",
                page.resolve().as_uri(),
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
    return done.stdout, [line for line in network.asked if not _OWN.search(line)]


@contextmanager
def _recorded() -> Iterator[Network]:
    """A listening proxy that takes the first line of each request and closes."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        network, over = Network(server.getsockname()[1]), threading.Event()
        thread = threading.Thread(target=_serve, args=(server, network, over))
        thread.start()
        try:
            yield network
        finally:
            over.set()
            thread.join()


def _serve(server: socket.socket, network: Network, over: threading.Event) -> None:
    while not over.is_set():
        try:
            connection, _ = server.accept()
        except TimeoutError:
            continue
        with connection:
            connection.settimeout(2.0)
            network.asked.append(connection.recv(1000).decode(errors="replace").splitlines()[0])

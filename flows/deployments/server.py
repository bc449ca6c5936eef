"""A Prefect server of our own, for a box that has none: it is started, watched, and ends with us.

Run as a module, `python -m flows.deployments.server PARENT HOST PORT` becomes Prefect's server. It listens on
loopback unless told, and keeps its state under PREFECT_HOME, or in the database that
PREFECT_SERVER_DATABASE_CONNECTION_URL names.
"""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from extractors.orphans import die_with
from flows.output import note
from schemas.errors import SettingError

START_S = 300.0
"""Seconds that a server may take until it answers: it creates or upgrades its database first."""
_LEASES = "prefect.server.concurrency.lease_storage.filesystem"
_AGAIN_AFTER_S = 1.0
_STOP_S = 15.0


class Server:
    """Prefect's server as a child process; one that dies is started again until `stop`."""

    def __init__(self, host: str, port: int, log: Path) -> None:
        self.url = f"http://{_reachable(host)}:{port}"
        self._command = [sys.executable, "-m", __name__, str(os.getpid()), host, str(port)]
        self._log = log
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._watcher = threading.Thread(target=self._watch, name="prefect-server", daemon=True)

    def start(self) -> None:
        """Start it and wait until it answers. Raises SettingError where it does not."""
        self._log.parent.mkdir(parents=True, exist_ok=True)
        self._watcher.start()
        until = time.monotonic() + START_S
        while not _answers(self.url):
            if time.monotonic() > until or not self._watcher.is_alive():
                self.stop()
                raise SettingError(f"Prefect's server did not start at {self.url}: see {self._log}")
            time.sleep(0.2)

    def stop(self) -> None:
        """End it, and wait for its end."""
        self._stopping.set()
        process = self._process
        if process is not None:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_STOP_S)
            process.kill()
        self._watcher.join(_STOP_S)

    def _watch(self) -> None:
        """The thread that has the child: the kernel ends the child with this thread too."""
        while not self._stopping.is_set():
            with self._log.open("ab") as log:
                self._process = subprocess.Popen(
                    self._command,
                    stdout=log,
                    stderr=log,
                    stdin=subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl-C is for us: the runs that are ended then still need it
                )
            self._process.wait()
            if not self._stopping.wait(_AGAIN_AFTER_S):
                note(f"assay: Prefect's server ended; it is started again (see {self._log})")


@contextmanager
def running(host: str, port: int, log: Path) -> Iterator[str]:
    """A server for as long as the block; gives its address. Raises SettingError where it cannot be there."""
    _try_to_listen(host, port)
    server = Server(host, port, log)
    server.start()
    try:
        yield server.url
    finally:
        server.stop()


def _reachable(host: str) -> str:
    """Where this machine reaches what listens on `host`."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104  what is compared, not bound
    return everywhere.get(host, f"[{host}]" if ":" in host else host)


def _try_to_listen(host: str, port: int) -> None:
    try:
        socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise SettingError(
                f"port {port} of {host} is in use: give another with --port, or, if a Prefect server is "
                f"there, set PREFECT_API_URL=http://{_reachable(host)}:{port}/api"
            ) from None
        reason = error.strerror or str(error)
        raise SettingError(f"nothing can listen on port {port} of {host}: {reason}: see --host") from None


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/api/health", timeout=10.0, trust_env=False).is_success
    except httpx.HTTPError:
        return False


def main(parent: str, host: str, port: str) -> None:
    """Become the server."""
    die_with(int(parent))
    # In memory, Prefect's default, a restart would forget who holds a deployment's only place, for ever.
    os.environ.setdefault("PREFECT_SERVER_CONCURRENCY_LEASE_STORAGE", _LEASES)
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", host, "--port", port]
    os.execv(sys.executable, command)  # noqa: S606  a list of arguments, no shell


if __name__ == "__main__":
    main(*sys.argv[1:])

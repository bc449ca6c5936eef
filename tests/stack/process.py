"""One service as a process of this machine: started, looked at, killed and started again like a container."""

from __future__ import annotations

import os
import pwd
import shlex
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import psutil

from tests.stack.places import Places, working_directory

_RETRY_S = 1.0
_MANY = 20


class Service:
    """A service of docker-compose.yml. Its command, environment and health check are the file's."""

    def __init__(self, name: str, said: Mapping[str, Any], image: Mapping[str, str], places: Places) -> None:
        self.name, self.said, self.places = name, said, places
        self.starts = 0
        self.log = places.home / "log"
        self.environment = places.environment({**image, **(said.get("environment") or {})})
        self._process: subprocess.Popen[bytes] | None = None
        self._family: list[psutil.Process] = []
        self._healthy, self._asked = False, 0.0

    @property
    def command(self) -> list[str]:
        """The entrypoint, where the file names one, and the command."""
        words = [*(self.said.get("entrypoint") or []), *(self.said["command"] or [])]
        return [self.places.said(word) for word in words]

    def start(self) -> None:
        """Start it, in a session of its own; what it says goes to its log."""
        self.starts += 1
        self._healthy, self._family = False, []
        with self.log.open("ab") as log:
            log.write(f"--- {shlex.join(self.command)}\n".encode())
            self._process = subprocess.Popen(
                self.command,
                cwd=working_directory(self.said),
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **self.user(),
            )

    def user(self) -> dict[str, Any]:
        """What Popen is told of the user: PostgreSQL refuses to run as root."""
        if self.said.get("user") != "postgres" or os.getuid() != 0:
            return {}
        user = pwd.getpwnam("postgres")
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    @property
    def ended(self) -> int | None:
        """The exit status of its first process, once that has ended."""
        return None if self._process is None else self._process.poll()

    @property
    def healthy(self) -> bool:
        """Whether its health check has succeeded since it was started; asked at most once a second."""
        if self._process is None or self.ended is not None:
            return False
        if not self._healthy and time.monotonic() >= self._asked + _RETRY_S:
            kind, *command = self.said["healthcheck"]["test"]
            assert kind == "CMD"
            said = [self.places.said(word) for word in command]
            done = subprocess.run(said, env=self.environment, capture_output=True, check=False, timeout=30)
            self._healthy, self._asked = done.returncode == 0, time.monotonic()
        return self._healthy

    def tend(self) -> None:
        """Look who belongs to it; start it again where it ended and the file's restart rule says so."""
        if self._process is None:
            return
        if self.ended is None:
            self._family = _family(self._process.pid)
            return
        rule, _, times = self.said.get("restart", "no").partition(":")
        failed_too_often = rule == "on-failure" and self.starts > int(times or _MANY)
        again = rule in {"always", "unless-stopped"} or (rule == "on-failure" and self.ended != 0)
        if again and not failed_too_often:
            assert self.starts < _MANY, f"{self.name} ends again and again\n{self.told()}"
            self.kill()  # a container ends with its first process
            self.start()

    def kill(self) -> None:
        """SIGKILL to the first process and all that belong to it, as when a container is killed."""
        if self._process is None:
            return
        family = {*self._family, *_family(self._process.pid)}
        for one in family:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        psutil.wait_procs(family, timeout=20)
        self._process.wait()

    def told(self, characters: int = 3000) -> str:
        """The end of its log."""
        text = self.log.read_text(errors="replace") if self.log.is_file() else ""
        return f"==== {self.name}\n{text[-characters:]}"


def _family(pid: int) -> list[psutil.Process]:
    """A process and all below it; empty where it is gone."""
    try:
        first = psutil.Process(pid)
        return [first, *first.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []

"""One service as a process of this machine: started, looked at, killed and started again like a container."""

from __future__ import annotations

import os
import pwd
import shlex
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
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
        self._healthy, self._asked = False, 0.0

    @property
    def command(self) -> list[str]:
        """The entrypoint, where the file names one, and the command."""
        words = [*(self.said.get("entrypoint") or []), *(self.said["command"] or [])]
        return [self.places.said(word) for word in words]

    def start(self) -> None:
        """Start it, in a session of its own; what it says goes to its log."""
        self.starts += 1
        self._healthy = False
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
    def pid(self) -> int | None:
        """Its first process, while that lives."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    @property
    def ended(self) -> int | None:
        """Its exit status, once it has ended."""
        return None if self._process is None else self._process.poll()

    @property
    def healthy(self) -> bool:
        """Whether its health check has succeeded since it was started; asked at most once a second."""
        if self._healthy or self.pid is None or time.monotonic() < self._asked + _RETRY_S:
            return self._healthy
        kind, *command = self.said["healthcheck"]["test"]
        assert kind == "CMD"
        said = [self.places.said(word) for word in command]
        done = subprocess.run(said, env=self.environment, capture_output=True, check=False, timeout=30)
        self._healthy, self._asked = done.returncode == 0, time.monotonic()
        return self._healthy

    def tend(self) -> None:
        """Start it again where it ended and the file's restart rule says so."""
        if self.ended is None:
            return
        rule, _, times = self.said.get("restart", "no").partition(":")
        failed_too_often = rule == "on-failure" and self.starts > int(times or 1 << 30)
        again = rule in {"always", "unless-stopped"} or (rule == "on-failure" and self.ended != 0)
        if again and not failed_too_often:
            assert self.starts < _MANY, f"{self.name} ends again and again\n{self.told()}"
            self.start()

    def kill(self) -> None:
        """SIGKILL to the first process and all below it, as when a container is killed."""
        family = _family(self.pid)
        for one in family:
            _kill(one)
        psutil.wait_procs(family, timeout=20)
        if self._process is not None:
            self._process.wait()

    def stop(self) -> None:
        """Ask it to end, then `kill`."""
        family = _family(self.pid)
        if family:
            family[0].terminate()
            psutil.wait_procs(family[:1], timeout=10)
        for one in family:
            _kill(one)
        psutil.wait_procs(family, timeout=20)
        self._process = None

    def told(self, characters: int = 3000) -> str:
        """The end of its log."""
        text = self.log.read_text(errors="replace") if self.log.is_file() else ""
        return f"==== {self.name}\n{text[-characters:]}"


def _family(pid: int | None) -> list[psutil.Process]:
    if pid is None:
        return []
    first = psutil.Process(pid)
    return [first, *first.children(recursive=True)]


def _kill(process: psutil.Process) -> None:
    with suppress(psutil.NoSuchProcess):
        process.kill()


def prepare_postgres(service: Service, data: Path) -> None:
    """What the image does at its first start: a cluster with the user, the password and the database."""
    environment = service.said["environment"]
    secret = data.with_name("postgres-password")
    secret.write_text(environment["POSTGRES_PASSWORD"])
    _own(service, data, secret, service.places.home, service.places.mounts["/tmp"])
    user = f"--username={environment['POSTGRES_USER']}"
    rules = ["--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={secret}", "--no-sync"]
    _once(service, ["initdb", user, *rules, f"--pgdata={data}"])
    _once(service, ["postgres", "--single", "postgres"], f"CREATE DATABASE {environment['POSTGRES_DB']}\n")
    with (data / "postgresql.conf").open("a") as settings:
        settings.write(f"unix_socket_directories = '{service.places.mounts['/tmp']}'\n")


def _own(service: Service, *paths: Path) -> None:
    user = service.user()
    for path in paths:
        if user:
            os.chown(path, user["user"], user["group"])


def _once(service: Service, command: list[str], said: str = "") -> None:
    done = subprocess.run(
        command,
        env=service.environment,
        cwd="/",
        input=said,
        capture_output=True,
        text=True,
        check=False,
        **service.user(),
    )
    assert done.returncode == 0, done.stderr

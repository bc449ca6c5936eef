"""What the PostgreSQL image does before its command: make the cluster, once."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.stack.process import Service


def prepare_postgres(service: Service, data: Path) -> None:
    """What the image does at its first start: a cluster with the user, the password and the database."""
    environment = service.said["environment"]
    secret = data.with_name("postgres-password")
    secret.write_text(environment["POSTGRES_PASSWORD"])
    _own(service, data, secret, service.places.home, service.places.mounts["/tmp"])
    user = f"--username={environment['POSTGRES_USER']}"
    rules = ["--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={secret}", "--no-sync"]
    text = ["--encoding=UTF8", "--locale=C.UTF-8"]  # by its LANG, which is a UTF-8 one
    _once(service, ["initdb", user, *rules, *text, f"--pgdata={data}"])
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

"""The whole of docker-compose.yml as processes: started in its order, kept up by its restart rules."""

from __future__ import annotations

import os
import pwd
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.stack import dockerfile
from tests.stack.compose import SECRETS, config
from tests.stack.places import Places, free_ports
from tests.stack.postgres import prepare_postgres
from tests.stack.process import Service

PORTS = (
    "POSTGRES_PORT",
    "S3_PORT",
    "S3_MASTER_PORT",
    "S3_VOLUME_PORT",
    "S3_FILER_PORT",
    "PREFECT_PORT",
    "VLLM_PORT",
    "WORKER_PORT",
)
_LOOK_S = 0.4


class Stack:
    """The services of one profile. Raises AssertionError, with their logs, where something takes too long."""

    def __init__(self, home: Path, model: Path, profile: str = "cpu", **variables: str) -> None:
        self.home = home
        ports = dict(zip(PORTS, map(str, free_ports(len(PORTS))), strict=True))
        # The model is there already; the service that would convert it finds it and ends.
        models = {"MODELS_DIR": str(model.parent), "MODEL": model.name}
        self.variables = {**SECRETS, **ports, **models, **variables}
        self.config = config(self.variables, profile)
        stages = dockerfile.stages(dockerfile.FILE.read_text())
        self.services = {
            name: Service(name, said, _image(stages, said), Places.of(home, self.config, name))
            for name, said in self.config["services"].items()
        }

    def up(self, limit_s: float) -> None:
        """Start each service once those that it depends on are as it wants them, until all are ready."""
        postgres = self.services["postgres"]
        prepare_postgres(postgres, postgres.places.mounts["/var/lib/postgresql/data"])
        begun = time.monotonic()
        self.until(self._advanced, limit_s, "the stack is up")
        print(f"the stack was up after {time.monotonic() - begun:.0f} s")

    def _advanced(self) -> bool:
        for service in self.services.values():
            wanted = (service.said.get("depends_on") or {}).items()
            if not service.starts and all(self._holds(name, one["condition"]) for name, one in wanted):
                service.start()
        return all(self._ready(service) for service in self.services.values())

    def _holds(self, name: str, condition: str) -> bool:
        service = self.services.get(name)
        if service is None:  # of another profile; Compose has seen to it that it is not required
            return True
        if condition == "service_completed_successfully":
            return service.ended == 0
        return service.healthy

    def _ready(self, service: Service) -> bool:
        return service.healthy if "healthcheck" in service.said else service.ended == 0

    def until(self, holds: Callable[[], bool], limit_s: float, what: str) -> None:
        """Tend all services until something holds."""
        end = time.monotonic() + limit_s
        while not holds():
            assert time.monotonic() < end, f"{what}: not within {limit_s:.0f} s\n{self.told()}"
            for service in self.services.values():
                service.tend()
            time.sleep(_LOOK_S)

    def healthy(self) -> bool:
        """Whether all that are to stay up are healthy."""
        return all(self._ready(service) for service in self.services.values())

    def told(self) -> str:
        """The ends of all logs."""
        return "\n".join(service.told() for service in self.services.values())

    def down(self) -> None:
        """Kill them, and throw away what they kept."""
        for service in reversed(self.services.values()):
            service.kill()
        shutil.rmtree(self.home, ignore_errors=True)

    def environment(self, service: str) -> Mapping[str, str]:
        """What a service's process has in its environment: what the file says, with this machine's places."""
        return self.services[service].environment

    def folder(self, service: str, target: str) -> Path:
        """The folder that stands for a mounted one."""
        return Path(self.services[service].places.mounts[target])


def _image(stages: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, str]:
    """The environment of the image, where the Dockerfile makes it."""
    build = said.get("build")
    return dockerfile.environment(dict(stages), build["target"]) if build else {}


def can_run_postgres() -> bool:
    """Whether there is a user that PostgreSQL may run as."""
    if os.getuid() != 0:
        return True
    try:
        return pwd.getpwnam("postgres").pw_uid != 0
    except KeyError:
        return False

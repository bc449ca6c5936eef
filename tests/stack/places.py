"""Where a service's things are without containers: hosts and mounted folders. Nothing else differs."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.stack.compose import ROOT

# SeaweedFS listens for gRPC 10,000 above each port.
_PORTS, _ABOVE = range(20_000, 32_000), 10_000
POSTGRES_BIN = Path("/usr/lib/postgresql")


def free_ports(count: int) -> list[int]:
    """Ports on loopback that nobody listens on now, nor on those 10,000 above."""
    start = _PORTS.start + os.getpid() * 31 % (len(_PORTS) - 1000)
    free = (port for port in range(start, _PORTS.stop) if _is_free(port) and _is_free(port + _ABOVE))
    return [next(free) for _ in range(count)]


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def postgres_programs() -> Path | None:
    """The folder of PostgreSQL's server programs, of the newest version that is installed."""
    found = [path.parent for path in POSTGRES_BIN.glob("*/bin/postgres")]
    return max(found, key=lambda path: float(path.parent.name), default=None)


@dataclass(frozen=True)
class Places:
    """How to say a service's command and environment on this machine."""

    home: Path
    hosts: frozenset[str]
    mounts: Mapping[str, Path]

    @staticmethod
    def of(home: Path, config: Mapping[str, Any], service: str) -> Places:
        """The places of one service; named volumes are folders under `home`."""
        volumes = config["services"][service].get("volumes", [])
        mounts = {one["target"]: _folder(home, one) for one in volumes}
        private = {"/tmp": home / service / "tmp"}
        for folder in (*mounts.values(), *private.values()):
            folder.mkdir(parents=True, exist_ok=True)
        return Places(home / service, frozenset(_names(config)), {**mounts, **private})

    def said(self, text: str) -> str:
        """A word of a command, or a value of the environment, with this machine's places."""
        host = re.compile(rf"(?<=://)({_any(self.hosts)})(?=:\d)")
        text = host.sub("127.0.0.1", text.replace("0.0.0.0", "127.0.0.1"))
        target = re.compile(rf"(?<![\w./-])({_any(self.mounts)})(?=/|$)")
        return target.sub(lambda found: str(self.mounts[found[1]]), text)

    def environment(self, given: Mapping[str, str | None]) -> dict[str, str]:
        """The environment of a process: what the service says, and what any process here needs.

        A variable without a value is handed on where it is set, and it is not.
        """
        programs = [Path(sys.executable).parent, postgres_programs(), Path("/usr/bin"), Path("/bin")]
        kept = {name: value for name, value in os.environ.items() if name.startswith("OPENBLAS_")}
        kept["PATH"] = os.pathsep.join(str(one) for one in programs if one is not None)
        kept["HOME"] = str(Path.home())
        # What only a volume tells the image: the server's own data folder and sockets.
        kept |= {"PGDATA": str(self.mounts.get("/var/lib/postgresql/data", ""))}
        return kept | {name: self._setting(name, said) for name, said in given.items() if said is not None}

    def _setting(self, name: str, value: str) -> str:
        """A host alone is known by the variable's name: `prefect` is a user and a database too."""
        return "127.0.0.1" if name.endswith("_HOST") and value in self.hosts else self.said(value)


def _any(words: Iterable[str]) -> str:
    """A pattern for any of these, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


def _folder(home: Path, volume: Mapping[str, str]) -> Path:
    if volume["type"] == "bind":
        return Path(volume["source"])
    return home / "volumes" / volume["source"]


def _names(config: Mapping[str, Any]) -> Iterator[str]:
    """What a service is called by others: its name, and its aliases in a network."""
    for name, service in config["services"].items():
        yield name
        for network in (service.get("networks") or {}).values():
            yield from (network or {}).get("aliases", [])


def working_directory(service: Mapping[str, Any]) -> Path:
    """Where it runs: the image's folder of the code is this repository."""
    assert service.get("working_dir", "/assay") == "/assay"
    return ROOT

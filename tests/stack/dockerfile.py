"""The Dockerfile's stages: what each starts from, copies and sets."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.stack.compose import ROOT

FILE = ROOT / "Dockerfile"


@dataclass
class Stage:
    """One `FROM … AS name`, with the instructions that follow it."""

    name: str
    parent: str
    instructions: list[tuple[str, str]] = field(default_factory=list)

    def all(self, word: str) -> list[str]:
        """What follows each instruction of that name."""
        return [rest for name, rest in self.instructions if name == word]


def stages(text: str) -> dict[str, Stage]:
    """The stages by name, in order."""
    found: dict[str, Stage] = {}
    for word, rest in _instructions(text):
        if word == "FROM":
            parent, name = re.fullmatch(r"(\S+) AS (\S+)", rest).groups()  # type: ignore[union-attr]
            latest = found[name] = Stage(name, parent)
        else:
            latest.instructions.append((word, rest))
    return found


def _instructions(text: str) -> Iterator[tuple[str, str]]:
    lines = (line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        word, _, rest = line.partition(" ")
        yield word, " ".join(rest.split())


def lineage(found: dict[str, Stage], name: str) -> list[Stage]:
    """A stage and those that it is built on, the oldest first."""
    stage = found[name]
    return [*(lineage(found, stage.parent) if stage.parent in found else []), stage]


def environment(found: dict[str, Stage], name: str) -> dict[str, str]:
    """The ENV of an image, by target; PATH is left out."""
    said = [one for stage in lineage(found, name) for rest in stage.all("ENV") for one in shlex.split(rest)]
    pairs = dict(one.split("=", 1) for one in said)
    return {key: value for key, value in pairs.items() if key != "PATH"}

"""Pin every requirement with its hashes: `make lock`. Writes requirements/{uv,base,cpu,engine,gpu}.txt.

The files hold for Linux (x86_64, aarch64) and macOS on Python 3.11 to 3.14. They name no package index, so
that the same pins install from any mirror. torch's CPU build is pinned by hand in requirements/torch.txt.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = ["pyproject.toml", "requirements/build.in"]
CPU_ONLY = ["requirements/cpu.in", "--override", "requirements/overrides.txt"]
LOCKS: dict[str, list[str]] = {
    "uv": ["requirements/uv.in"],
    "base": PROJECT,
    "cpu": [*PROJECT, *CPU_ONLY, "--extra", "cpu", "--extra", "dev"],
    "engine": [*PROJECT, *CPU_ONLY, "--extra", "cpu"],
    "gpu": [*PROJECT, "--extra", "gpu", "--extra", "ray"],
}
SAME_PINS = {"engine": "cpu"}  # what `cpu` has, without the tools of development
OPTIONS = [
    "--universal", "--python-version", "3.11", "--generate-hashes", "--no-header", "--no-annotate",
    "--no-emit-index-url", "--no-emit-find-links", "--quiet",
]  # fmt: skip


def lock(name: str, upgrade: bool) -> None:
    """Resolve one file. Pins that still hold stay, unless `upgrade`. CalledProcessError where none fit."""
    target = ROOT / "requirements" / f"{name}.txt"
    if name in SAME_PINS:
        shutil.copyfile(target.with_stem(SAME_PINS[name]), target)
        upgrade = False
    uv = Path(sys.executable).with_name("uv")
    command = [str(uv), "pip", "compile", *LOCKS[name], *OPTIONS, "--output-file", str(target)]
    print(f"lock: requirements/{name}.txt", flush=True)
    subprocess.run([*command, *(["--upgrade"] if upgrade else [])], cwd=ROOT, check=True)


def main(arguments: list[str]) -> None:
    """`lock.py [--upgrade] [NAME ...]`: all the files, or the named ones."""
    upgrade = "--upgrade" in arguments
    for name in [name for name in arguments if name != "--upgrade"] or list(LOCKS):
        lock(name, upgrade)


if __name__ == "__main__":
    main(sys.argv[1:])

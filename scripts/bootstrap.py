"""Make `.venv` with the pinned requirements and this project: `python3 scripts/bootstrap.py [EXTRA]`.

EXTRA is cpu (the default), base, engine or gpu: see REQUIREMENTS.

Runs on a bare Python 3.11 to 3.14, standard library only. Says each step; does nothing when all is current.

torch's CPU build is not on PyPI. It is sought first where pip's configuration points (`find-links`), which is
how mirrors and air-gapped machines offer it, and then on PyTorch's own CPU index, which uv knows by name.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
import venv
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST, NEWEST = (3, 11), (3, 14)
REQUIREMENTS = {
    "base": ["base.txt"],  # no engine
    "cpu": ["cpu.txt", "torch.txt"],  # the engine and the tools of development
    "engine": ["engine.txt", "torch.txt"],  # `cpu` without those tools
    "gpu": ["gpu.txt"],
}


class SetupError(Exception):
    """Setting up cannot go on; the text says what to do."""


def main(arguments: list[str]) -> int:
    """Bring `.venv` up to date for one extra. Returns the exit code: 0 done, 1 failed, 2 usage."""
    extra = arguments[0] if arguments else "cpu"
    if extra not in REQUIREMENTS:
        print(f"bootstrap: no extra {extra!r}: one of {', '.join(REQUIREMENTS)}", file=sys.stderr)
        return 2
    try:
        bootstrap(ROOT, extra)
    except SetupError as error:
        print(f"bootstrap: {error}", file=sys.stderr)
        return 1
    return 0


def bootstrap(root: Path, extra: str) -> None:
    """All steps, or none where the stamp is current. Raises SetupError."""
    environment, wanted = root / ".venv", fingerprint(root, extra)
    stamp = environment / ".assay-stamp"
    if stamp.is_file() and stamp.read_text() == wanted and (environment / "bin" / "assay").exists():
        return
    started = time.monotonic()
    say(f"setting up {environment.name} for {extra!r} (the first time takes a few minutes and about 3 GB)")
    stamp.unlink(missing_ok=True)
    python = make_environment(environment)
    settings = pip_settings(python)
    install_uv(python, root)
    sync(python, root, extra, settings)
    install_project(python, root)
    stamp.write_text(wanted)
    say(f"ready after {time.monotonic() - started:.0f} s")


def fingerprint(root: Path, extra: str) -> str:
    """Changes with the pins, the project's metadata, the Python version or the chosen extra (SHA-256)."""
    digest = hashlib.sha256(f"{extra} {sys.version_info[:2]}".encode())
    for path in [root / "pyproject.toml", *(root / "requirements" / name for name in files(extra))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def files(extra: str) -> list[str]:
    """The requirement files that count for an extra."""
    return ["uv.txt", *REQUIREMENTS[extra]]


def make_environment(environment: Path) -> Path:
    """A virtual environment with pip, made anew where missing or of another Python. Returns its Python."""
    check_version(sys.version_info[:2])
    python = environment / "bin" / "python"
    if version_of(python) != sys.version_info[:2]:
        say(f"creating {environment.name} with Python {sys.version_info[0]}.{sys.version_info[1]}")
        try:
            venv.create(environment, with_pip=True, clear=True)
        except (subprocess.CalledProcessError, ImportError) as error:
            raise SetupError("this Python has no venv or pip (Debian: apt install python3-venv)") from error
    return python


def check_version(version: tuple[int, int]) -> None:
    """Raises SetupError for a Python that the pins do not hold for."""
    if not OLDEST <= version <= NEWEST:
        found = ".".join(map(str, version))
        raise SetupError(f"Python 3.11 to 3.14 is needed, this is {found}: make PYTHON=python3.12 setup")


def version_of(python: Path) -> tuple[int, int] | None:
    """Which Python stands there, if one does and starts."""
    code = "import sys, pip; print(*sys.version_info[:2])"
    try:
        done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    major, minor = done.stdout.split()
    return int(major), int(minor)


def pip_settings(python: Path) -> dict[str, str]:
    """What pip is configured with, by files or PIP_* variables: `find-links`, `index-url`, `cert`, …

    uv reads none of pip's configuration, so what a machine needs to reach its packages is handed on.
    """
    command = [str(python), "-m", "pip", "config", "list"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return parse_pip_settings(done.stdout.splitlines())


def parse_pip_settings(lines: Iterable[str]) -> dict[str, str]:
    """`pip config list` as a dict, without section names. Variables (`:env:`) win over files."""
    pairs = [line.partition("=") for line in lines if "=" in line]
    pairs.sort(key=lambda pair: pair[0].startswith(":env:"))
    return {name.rpartition(".")[2]: value.strip("'\"") for name, _, value in pairs}


def install_uv(python: Path, root: Path) -> None:
    """uv from PyPI, pinned and hashed, inside the environment."""
    say("installing uv")
    requirements = str(root / "requirements" / "uv.txt")
    run([str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "-r", requirements])


def sync(python: Path, root: Path, extra: str, settings: Mapping[str, str]) -> None:
    """Install exactly the pins, the configured way first, then for torch the other. Raises SetupError."""
    ways = list(sync_commands(python, root, extra, settings))
    for number, command in enumerate(ways, start=1):
        say(f"installing the pinned requirements{f' (way {number} of {len(ways)})' if len(ways) > 1 else ''}")
        if subprocess.run(command, env=uv_environment(settings), cwd=root, check=False).returncode == 0:
            return
    raise SetupError("the pinned requirements could not be installed; uv's messages above say why")


def sync_commands(python: Path, root: Path, extra: str, settings: Mapping[str, str]) -> Iterable[list[str]]:
    """The `uv pip sync` commands to try in turn: with pip's links, then, for torch, PyTorch's CPU index."""
    requirements = [str(root / "requirements" / name) for name in REQUIREMENTS[extra]]
    command = [str(python.with_name("uv")), "pip", "sync", "--python", str(python), *requirements]
    if not sys.stderr.isatty():
        command.append(
            "--quiet"
        )  # a log needs neither progress bars nor 270 package names; errors still show
    if settings.get("index-url"):
        command += ["--default-index", settings["index-url"]]
    links = [part for link in settings.get("find-links", "").split() for part in ("--find-links", link)]
    needs_torch = "torch.txt" in REQUIREMENTS[extra]
    if links or not needs_torch:
        yield [*command, *links]
    if needs_torch:
        yield [*command, *links, "--torch-backend", "cpu"]


def uv_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """The process's environment, with pip's certificate file where uv has none of its own."""
    certificate = settings.get("cert")
    return {**({"SSL_CERT_FILE": certificate} if certificate else {}), **os.environ}


def install_project(python: Path, root: Path) -> None:
    """This project, editable: the flat folders become importable and `assay` a command."""
    say("installing assay itself")
    uv = str(python.with_name("uv"))
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--python", str(python)]
    run([uv, "pip", "install", *options, "--editable", str(root)])


def run(command: list[str]) -> None:
    """Run one step. Raises SetupError where it fails; its own output says why."""
    if subprocess.run(command, check=False).returncode:
        raise SetupError(f"this step failed: {' '.join(command)}")


def say(message: str) -> None:
    """One line on what is being done."""
    print(f"setup: {message}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

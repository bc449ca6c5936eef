"""docker-compose.yml as Docker Compose itself reads it: checked against its specification, filled in."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "docker-compose.yml"
SECRETS = {
    "POSTGRES_PASSWORD": "p@ss/of:postgres",
    "PREFECT_AUTH": "night:p@ss%20word",
    "S3_ACCESS_KEY": "assay",
    "S3_SECRET_KEY": "secret-of-the-store",
    "VLLM_API_KEY": "sk-of-the-engine",
}


def tool(name: str) -> str:
    """A program that was installed beside this Python, else one on the PATH. Raises FileNotFoundError."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.is_file() else shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"{name} is not installed: `make setup` brings it")
    return found


def compose(
    variables: Mapping[str, str], *arguments: str, file: Path = FILE
) -> subprocess.CompletedProcess[str]:
    """`docker-compose ARGUMENTS` on the file, with these variables and no others. No daemon is asked."""
    command = [tool("docker-compose"), "--env-file", "/dev/null", "--file", str(file), *arguments]
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", **variables}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


def config(variables: Mapping[str, str], *profiles: str, file: Path = FILE) -> dict[str, Any]:
    """The file with `variables` put in, for these profiles, in Compose's canonical form.

    Raises ValueError with Compose's own words where the file does not fit its specification.
    """
    flags = [part for profile in profiles for part in ("--profile", profile)]
    done = compose(variables, *flags, "config", "--format", "json", file=file)
    if done.returncode:
        raise ValueError(done.stderr)
    read: dict[str, Any] = _unescaped(json.loads(done.stdout))
    return read


def _unescaped(value: Any) -> Any:
    """Compose writes a literal `$` as `$$`, so that its output can be read again."""
    if isinstance(value, dict):
        return {key: _unescaped(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_unescaped(inner) for inner in value]
    return value.replace("$$", "$") if isinstance(value, str) else value

"""Another process that keeps a database open."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_HOLD = """
import sys, duckdb
held = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == "True")
print("held", flush=True)
sys.stdin.readline()
"""


@contextmanager
def held(path: Path, *, read_only: bool = True) -> Iterator[subprocess.Popen[str]]:
    """Held by a process until leaving."""
    command = [sys.executable, "-c", _HOLD, str(path), str(read_only)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()

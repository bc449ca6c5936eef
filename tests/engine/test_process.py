"""The engine's own process: gone after close, gone when its parent is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

SCRIPT = """
import asyncio, sys
from pathlib import Path
from extractors.engines.embedded import EmbeddedEngine
from extractors.engines.process import core_pids

async def main():
    engine = await EmbeddedEngine.start(Path(sys.argv[1]), max_model_len=256, max_num_seqs=1)
    print(*core_pids(), flush=True)
    sys.stdin.readline()
    await engine.close()
    print("closed", *core_pids(), flush=True)

if __name__ == "__main__":
    asyncio.run(main())
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "owner.py"
    file.write_text(SCRIPT)
    return file


def start(script: Path, model_dir: Path, root: Path) -> tuple[subprocess.Popen[str], list[int]]:
    owner = subprocess.Popen(
        [sys.executable, str(script), str(model_dir)],
        env={**os.environ, "PYTHONPATH": str(root)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout is not None
    return owner, [int(pid) for pid in owner.stdout.readline().split()]


def gone(pids: list[int], patience_s: float) -> bool:
    alive = [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)]
    return not psutil.wait_procs(alive, timeout=patience_s)[1]


@pytest.mark.parametrize("how", ["close", "kill"])
def test_no_process_outlives_its_owner(script: Path, model_dir: Path, root: Path, how: str) -> None:
    owner, cores = start(script, model_dir, root)
    try:
        assert len(cores) == 1
        assert psutil.pid_exists(cores[0])
        assert os.getpgid(cores[0]) != os.getpgid(owner.pid)
        if how == "kill":
            owner.send_signal(signal.SIGKILL)
            owner.wait(30)
        else:
            out, _ = owner.communicate("\n", timeout=60)
            assert out.split() == ["closed"]
        assert gone(cores, 10)
    finally:
        owner.kill()
        owner.communicate()

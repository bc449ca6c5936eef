"""The engine's own process: gone after close, gone when its parent is killed, made anew when it dies."""

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
from extractors.engines.restarting import RestartingEngine
from schemas.decoding import resolve
from schemas.records import Request

def start():
    return EmbeddedEngine.start(Path(sys.argv[1]), max_model_len=256, max_num_seqs=4)

async def main():
    engine = RestartingEngine(await start(), start)
    ids = engine.tokenizer.encode_data("To be or not")
    ask = lambda: engine.generate(Request("r", ids, None, 8, 0), resolve("prompt-greedy"), "d")
    print(*core_pids(), flush=True)
    sys.stdin.readline()
    answers = await asyncio.gather(ask(), ask())
    cut_short = asyncio.create_task(ask())
    await asyncio.sleep(0.05)
    cut_short.cancel()
    await asyncio.gather(cut_short, return_exceptions=True)
    await engine.close()
    print(*[answer[0].ending for answer in answers], *core_pids(), flush=True)

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
        stderr=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout is not None
    return owner, [int(pid) for pid in owner.stdout.readline().split()]


def gone(pids: list[int], patience_s: float) -> bool:
    alive = [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)]
    return not psutil.wait_procs(alive, timeout=patience_s)[1]


@pytest.mark.parametrize("how", ["close", "kill", "kill the core"])
def test_no_process_outlives_its_owner(script: Path, model_dir: Path, root: Path, how: str) -> None:
    """Closed it says nothing, though a request was cut short; killed itself it is started again."""
    owner, cores = start(script, model_dir, root)
    try:
        assert len(cores) == 1
        assert psutil.pid_exists(cores[0])
        assert os.getpgid(cores[0]) != os.getpgid(owner.pid)
        if how == "kill":
            owner.send_signal(signal.SIGKILL)
            owner.wait(30)
        else:
            if how == "kill the core":
                os.kill(cores[0], signal.SIGKILL)
            out, err = owner.communicate("\n", timeout=200)
            assert out.split() == ["length", "length"]
            assert (err == "") is (how == "close")
            assert ("it is started again" in err) is (how == "kill the core")
        assert gone(cores, 10)
    finally:
        owner.kill()
        owner.communicate()

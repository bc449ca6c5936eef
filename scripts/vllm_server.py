"""A vLLM server on this machine, as the served engine expects it: for tests, measurements, and trying it out.

`python -m scripts.vllm_server [--port 8000]` serves the model of ASSAY_MODEL, or the small one, on loopback.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from urllib.error import URLError
from urllib.request import urlopen

import psutil

from extractors.engines.identity import SETTINGS
from extractors.engines.process import ENVIRONMENT, reap
from extractors.engines.starting import GUARDED
from schemas.decoding import Backend

ROOT = Path(__file__).resolve().parent.parent
_START_S = 240.0
_STOP_S = 15.0


def command(
    model: Path,
    port: int,
    *,
    backend: Backend = "guidance",
    max_model_len: int = 4096,
    max_num_seqs: int = 32,
) -> list[str]:
    """The command line: the embedded engine's settings, said to a server.

    The guarded executor ends the engine's process with the server's, even after SIGKILL.
    """
    compact = bool(SETTINGS["disable_any_whitespace"]) and backend != "outlines"
    options = {
        "model": model,
        "served-model-name": model.resolve().name,
        "host": "127.0.0.1",
        "port": port,
        "dtype": SETTINGS["dtype"],
        "max-model-len": max_model_len,
        "max-num-seqs": max_num_seqs,
        "kv-cache-memory-bytes": 1 << 30,
        "structured-outputs-config": json.dumps({"backend": backend, "disable_any_whitespace": compact}),
        "distributed-executor-backend": GUARDED,
    }
    flags = ["--enforce-eager", "--enable-prefix-caching", "--enable-per-request-metrics"]
    # Without parts of prompts: extractors/engines/starting.py says why.
    flags += ["--enable-prompt-tokens-details", "--disable-uvicorn-access-log", "--no-enable-chunked-prefill"]
    named = [str(part) for name, value in options.items() for part in (f"--{name}", value)]
    return [sys.executable, "-m", "vllm.entrypoints.openai.api_server", *named, *flags]


def free_port() -> int:
    """A port on loopback that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class VllmServer:
    """A server as a child process. `start`, `kill` (SIGKILL) and `stop` may follow one another freely."""

    def __init__(
        self, arguments: list[str], port: int, log: Path, extra: Mapping[str, str] | None = None
    ) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._arguments = arguments
        self._log = log
        self._environment = {**ENVIRONMENT, **os.environ, **(extra or {})}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> VllmServer:
        self.start()
        self.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Begin to start it; `wait` until it answers (15 to 40 s on CPU)."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._arguments,
                cwd=ROOT,
                env=self._environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait(self) -> None:
        """Until it answers. Raises RuntimeError with the end of its log where it does not."""
        until = time.monotonic() + _START_S
        while time.monotonic() < until and self._process is not None and self._process.poll() is None:
            try:
                with urlopen(f"{self.url}/health", timeout=2):  # noqa: S310 - loopback
                    return
            except (URLError, OSError):
                time.sleep(0.2)
        raise RuntimeError(f"the server did not start:\n{self._log.read_text(errors='replace')[-2000:]}")

    def kill(self) -> None:
        """SIGKILL to the server alone, as an out-of-memory killer would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """SIGTERM, and SIGKILL to what is left of it."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        family = _family(process.pid)
        process.send_signal(how)
        reap(family, _STOP_S)
        process.wait()


def _family(pid: int) -> list[int]:
    try:
        children = psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    return [pid, *(child.pid for child in children)]


def main() -> int:
    """Serve until interrupted."""
    from flows.model import model_folder
    from flows.settings import load

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--backend", choices=["guidance", "xgrammar", "outlines"], default="guidance")
    given = parser.parse_args()
    settings = load()
    arguments = command(
        model_folder(settings),
        given.port,
        backend=given.backend,
        max_model_len=settings.max_model_len,
        max_num_seqs=settings.max_num_seqs,
    )
    os.chdir(ROOT)
    os.execve(sys.executable, arguments, {**ENVIRONMENT, **os.environ})  # noqa: S606
    return 0


if __name__ == "__main__":
    sys.exit(main())

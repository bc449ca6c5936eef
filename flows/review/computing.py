"""Computing an attempt's probabilities in a process of its own: it loads the model, which takes a while.

The process is `assay trace ATTEMPT --probabilities`, which keeps what it computes in the warehouse; the desk
then reads it from there. One runs at a time: the model takes gigabytes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from typing import IO

from schemas.errors import UsageError

_COMMAND = (sys.executable, "-m", "flows.cli", "trace", "--probabilities", "--json")
_LONGEST = 2_000
"""Characters of a message that are shown."""


class Computing:
    """At most one computation. Safe to call from any thread."""

    def __init__(self, command: Sequence[str] = _COMMAND) -> None:
        self._command = tuple(command)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr: IO[bytes] | None = None
        self._attempt = ""

    def start(self, attempt_id: str) -> None:
        """Begin. Raises UsageError where another attempt's is under way."""
        with self._lock:
            if self._runs():
                if self._attempt != attempt_id:
                    raise UsageError("another attempt's probabilities are being computed: wait for them")
                return
            self._forget()
            self._attempt = attempt_id
            self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - read when the process has ended
            self._process = subprocess.Popen(
                [*self._command, attempt_id],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._stderr,
                start_new_session=True,
            )

    def runs(self, attempt_id: str) -> bool:
        """Whether this attempt's are being computed."""
        with self._lock:
            return self._attempt == attempt_id and self._runs()

    def failure(self, attempt_id: str) -> str | None:
        """Why this attempt's newest computation failed; None where it did not, or there was none."""
        with self._lock:
            if self._attempt != attempt_id or self._process is None or not self._process.poll():
                return None
            return self._last_words() or f"it ended with {self._process.returncode}"

    def close(self) -> None:
        """End what runs."""
        with self._lock:
            self._forget()

    def _runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _last_words(self) -> str:
        """The last line on stderr: where a command cannot go on, it says there why."""
        assert self._stderr is not None  # noqa: S101  opened before the process
        self._stderr.seek(0)
        lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:_LONGEST] if lines else ""

    def _forget(self) -> None:
        if self._process is not None:
            self._process.terminate()  # does nothing to one that has ended
            try:
                self._process.wait(timeout=10.0)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self._stderr is not None:
            self._stderr.close()
        self._process = self._stderr = None

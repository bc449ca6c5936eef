"""One worker process as the pool sees it: start, ask within a time, end. Not thread-safe."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, cast

from extractors.readers.frames import Frame, pack, unpack

_ROOT = Path(__file__).resolve().parents[2]
_CHUNK = 1 << 20
_KEPT_ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LANG", "LC_ALL", "TMPDIR")
"""A worker reads strangers' files: it gets no credentials to give away."""


class WorkerDied(Exception):
    """It ended in a read. `returncode` as in subprocess; `peak` is in bytes, 0 if unknown."""

    def __init__(self, returncode: int, peak: int, stderr: str) -> None:
        super().__init__(f"exit {returncode}: {stderr}")
        self.returncode, self.peak, self.stderr = returncode, peak, stderr

    @property
    def how(self) -> str:
        """The signal's name or the exit code."""
        return signal.Signals(-self.returncode).name if self.returncode < 0 else f"exit {self.returncode}"


class WorkerLate(Exception):
    """The process did not answer in time."""


class WorkerProcess:
    """A child that runs the worker `module`, without any of this process's modules or memory."""

    def __init__(self, module: str, memory_bytes: int, timeout_s: float) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        settings = [str(os.getpid()), str(memory_bytes), str(timeout_s)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *settings],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            bufsize=0,
            cwd=_ROOT,
            env={name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ},
            start_new_session=True,  # Ctrl-C is the parent's to handle
        )
        self._in, self._out = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)
        os.set_blocking(self._in.fileno(), False)
        os.set_blocking(self._out.fileno(), False)
        self._first_peak = 0
        self.reads = 0
        self.ready = False

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    def alive(self) -> bool:
        """Whether the child can be asked."""
        return self._process.poll() is None

    def wait_ready(self, timeout_s: float) -> None:
        """Waits for the child's imports. Raises WorkerDied, WorkerLate."""
        if not self.ready:
            self._first_peak = self._receive(time.monotonic() + timeout_s).header["peak"]
            self.ready = True

    def ask(self, data: bytes, timeout_s: float, on_announce: Callable[[Frame], None]) -> Frame:
        """Sends one document and waits for its answer. Raises WorkerDied, WorkerLate."""
        deadline = time.monotonic() + timeout_s
        self.reads += 1
        self._stderr.truncate(0)
        self._send(pack({}, [data]), deadline)
        while "media_type" in (frame := self._receive(deadline)).header:
            on_announce(frame)
        return frame

    def kill(self) -> None:
        """Stops the child under a read in another thread, which then raises WorkerDied."""
        self._process.kill()

    def end(self) -> None:
        """Kills and reaps the child."""
        self._process.kill()
        self._process.wait()
        for stream in (self._in, self._out, self._stderr):
            stream.close()

    def _send(self, pieces: Sequence[bytes], deadline: float) -> None:
        for piece in pieces:
            view = memoryview(piece)
            while view:
                self._wait(self._in.fileno(), select.POLLOUT, deadline)
                try:
                    view = view[os.write(self._in.fileno(), view[:_CHUNK]) :]
                except BlockingIOError:
                    continue
                except BrokenPipeError:
                    raise self._death() from None

    def _receive(self, deadline: float) -> Frame:
        try:
            return unpack(lambda size: self._read(size, deadline))
        except ValueError as error:  # what answers is no longer our worker
            self._process.kill()
            raise self._death() from error

    def _read(self, size: int, deadline: float) -> bytes:
        data = bytearray()
        while len(data) < size:
            self._wait(self._out.fileno(), select.POLLIN, deadline)
            try:
                chunk = os.read(self._out.fileno(), min(_CHUNK, size - len(data)))
            except BlockingIOError:
                continue
            if not chunk:
                raise self._death()
            data += chunk
        return bytes(data)

    def _wait(self, descriptor: int, event: int, deadline: float) -> None:
        """Waits until the pipe can go on. Raises WorkerLate."""
        poll = select.poll()
        poll.register(descriptor, event)
        if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise WorkerLate

    def _death(self) -> WorkerDied:
        """Reaps the child and tells how it ended."""
        peak = 0
        if self._process.returncode is None:
            try:
                _, status, usage = os.wait4(self._process.pid, 0)
            except ChildProcessError:  # something else in this process reaps all children
                self._process.wait()
            else:
                self._process.returncode = os.waitstatus_to_exitcode(status)
                grown = usage.ru_maxrss > self._first_peak
                peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) if grown else 0
        self._stderr.seek(0)
        return WorkerDied(
            self._process.wait(), peak, self._stderr.read(4000).decode("utf-8", "replace").strip()
        )

"""The workers of a pool: started when needed, used again, replaced when one document has broken them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from extractors.readers import media
from extractors.readers.frames import Frame
from extractors.readers.process import WorkerDied, WorkerLate, WorkerProcess
from schemas.errors import AssayError
from schemas.records import Category

_START_S = 120.0
_MAX_READS = 500
_OUT_OF_MEMORY = ("memory allocation of", "bad_alloc", "Out of memory", "MemoryError")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one read may use: seconds, and bytes of address space."""

    timeout_s: float
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is known of a document after its read. `header` holds a category, or what the reading says.

    `broken` tells that the worker cannot read another one.
    """

    media_type: str
    reader: str
    header: Mapping[str, Any]
    parts: tuple[bytes, ...] = ()
    broken: bool = False


def failure(category: Category, message: str) -> Outcome:
    """The outcome of a document of which nothing else is known."""
    return Outcome(media.BINARY, "sniff", {"category": category.value, "message": message})


class Workers:
    """At most `count` reads at once. Safe to call from any thread."""

    def __init__(self, module: str, count: int, limits: Limits) -> None:
        self._module = module
        self._limits = limits
        self._slots = threading.BoundedSemaphore(count)
        self._lock = threading.Lock()
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._closed = False
        # The kernel ends a worker with the *thread* that started it: so one thread, which lives as long
        # as the pool, starts them all.
        self._starter = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reader-starter")

    def close(self) -> None:
        """Ends all workers at once. A read that is under way in another thread raises AssayError."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for worker in self._busy:
                worker.kill()
        for worker in idle:
            worker.end()
        self._starter.shutdown()

    def read(self, data: bytes) -> Outcome:
        """One document's outcome. What an earlier document may have caused is tried again in a new worker."""
        with self._worker() as worker:
            was_used = worker.reads > 0
            outcome = self._ask(worker, data)
        if outcome.broken and was_used and outcome.header["category"] != Category.READER_TIMEOUT:
            with self._worker(fresh=True) as worker:
                outcome = self._ask(worker, data)
        return outcome

    def _ask(self, worker: WorkerProcess, data: bytes) -> Outcome:
        known = Outcome(media.BINARY, "sniff", {})

        def announce(frame: Frame) -> None:
            nonlocal known
            known = replace(known, media_type=frame.header["media_type"], reader=frame.header["reader"])

        try:
            frame = worker.ask(data, self._limits.timeout_s, announce)
        except WorkerLate:
            worker.kill()
            return self._broken(known, Category.READER_TIMEOUT)
        except WorkerDied as death:
            self._refuse_if_closed()
            return self._broken(known, self._cause(death), death)
        if frame.header.get("memory"):
            worker.kill()
            return self._broken(known, Category.TOO_LARGE)
        return replace(known, header=frame.header, parts=frame.parts)

    def _cause(self, death: WorkerDied) -> Category:
        """The category of a crash: a library that gets no memory dies in its own way."""
        if death.returncode == -signal.SIGALRM:
            return Category.READER_TIMEOUT
        # PDFium without memory aborts and says nothing; other aborts leave a message.
        silent = death.returncode == -signal.SIGABRT and not death.stderr
        starved = silent or death.peak > self._limits.memory_bytes / 2
        # A SIGKILL that is not the pool's is the kernel's, when the whole machine runs out of memory.
        killed = death.returncode == -signal.SIGKILL
        said = any(mark in death.stderr for mark in _OUT_OF_MEMORY)
        return Category.TOO_LARGE if starved or killed or said else Category.UNREADABLE

    def _broken(self, known: Outcome, category: Category, death: WorkerDied | None = None) -> Outcome:
        if category == Category.READER_TIMEOUT:
            message = (
                f"Reading took more than {self._limits.timeout_s:g} s; split it or save it as another type."
            )
        elif category == Category.TOO_LARGE:
            memory = f"{self._limits.memory_bytes / 1e6:,.0f} MB"
            message = f"Reading needs more memory than there is for one document ({memory}); split it."
        else:
            message = f"The reader crashed on the document ({death.how if death else '?'}); save it again."
        return replace(known, header={"category": category.value, "message": message}, broken=True)

    @contextmanager
    def _worker(self, fresh: bool = False) -> Iterator[WorkerProcess]:
        """A ready worker for one read."""
        with self._slots:
            worker = self._take(fresh)
            try:
                yield worker
            except BaseException:  # whatever interrupts a read leaves half an answer in the pipe
                worker.kill()
                raise
            finally:
                self._give_back(worker)

    def _take(self, fresh: bool) -> WorkerProcess:
        self._refuse_if_closed()
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        if worker is not None and (fresh or not worker.alive()):
            worker.end()
            worker = None
        worker = worker or self._start()
        with self._lock:
            self._busy.add(worker)
        if self._closed:
            self._give_back(worker)
            self._refuse_if_closed()
        return worker

    def _start(self) -> WorkerProcess:
        try:
            settings = (self._module, self._limits.memory_bytes, self._limits.timeout_s)
            worker = self._starter.submit(WorkerProcess, *settings).result()
        except RuntimeError as error:
            raise AssayError("The reader pool is closed.") from error
        try:
            worker.wait_ready(_START_S)
        except (WorkerDied, WorkerLate) as error:
            worker.end()
            raise AssayError(f"A reader process does not start: {error or 'no sign of life'}") from error
        except BaseException:
            worker.end()
            raise
        return worker

    def _give_back(self, worker: WorkerProcess) -> None:
        with self._lock:
            self._busy.discard(worker)
            keep = not self._closed and worker.alive() and worker.reads < _MAX_READS
            if keep:
                self._idle.append(worker)
        if not keep:
            worker.end()

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise AssayError("The reader pool is closed.")

"""Reads documents in worker processes: a crash, a bomb or a hang costs one document and one worker."""

from __future__ import annotations

import hashlib
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import TracebackType
from typing import Any
from urllib.parse import quote

from extractors.readers import media
from extractors.readers.frames import Frame
from extractors.readers.process import WorkerDied, WorkerLate, WorkerProcess
from schemas.errors import AssayError
from schemas.records import Category, Document

DEFAULT_MEMORY = 1536 * 1024 * 1024
_START_S = 120.0
_MAX_READS = 500
_MAX_DEPTH = 5
_MAX_FAMILY = 500
_OUT_OF_MEMORY = ("memory allocation of", "bad_alloc", "Out of memory", "MemoryError")


@dataclass(frozen=True, slots=True)
class ReadResult:
    """A document, readable or with its category, and its bytes."""

    document: Document
    data: bytes


@dataclass(frozen=True, slots=True)
class _Outcome:
    media_type: str
    reader: str
    header: dict[str, Any]
    parts: tuple[bytes, ...] = ()


class ReaderPool:
    """At most `workers` reads at once, each within `timeout_s` seconds and `memory_bytes` of address space.

    `read` may be called from any thread. Workers start when they are first needed, are used again, and end
    with the pool or with this process, however it ends.
    """

    def __init__(
        self,
        workers: int = 2,
        timeout_s: float = 20.0,
        memory_bytes: int = DEFAULT_MEMORY,
        worker_module: str = "extractors.readers.worker",
    ) -> None:
        self._module = worker_module
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self._slots = threading.BoundedSemaphore(workers)
        self._lock = threading.Lock()
        self._idle: list[WorkerProcess] = []
        self._closed = False
        # The kernel ends a worker with the *thread* that started it: so one thread, which lives as long
        # as the pool, starts them all.
        self._starter = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reader-starter")

    def __enter__(self) -> ReaderPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends all workers. A read in another thread then ends as `reader_timeout` or raises AssayError."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.end()
        self._starter.shutdown()

    def read(self, data: bytes, uri: str) -> list[ReadResult]:
        """The document first, then its attachments, theirs, and so on, each content once.

        A bad document is a Document with a category and a message, never an exception. Raises AssayError only
        where no worker can be started.
        """
        family = [self._one(data, uri, None)]
        results: dict[str, ReadResult] = {}
        depth = 0
        while family and len(results) < _MAX_FAMILY:
            children: list[tuple[ReadResult, list[tuple[str, bytes]]]] = []
            for result, attachments in family:
                if results.setdefault(result.document.document_id, result) is result:
                    children.append((result, attachments))
            depth += 1
            family = [
                self._one(child, child_uri, parent.document.document_id, too_deep=depth > _MAX_DEPTH)
                for parent, attachments in children
                for child_uri, child in attachments
            ]
        return list(results.values())

    def _one(
        self, data: bytes, uri: str, parent_id: str | None, too_deep: bool = False
    ) -> tuple[ReadResult, list[tuple[str, bytes]]]:
        """One document, and its attachments as URIs and bytes."""
        if too_deep:
            message = f"Attachments lie more than {_MAX_DEPTH} deep; save this one alone."
            outcome = _failure(Category.TOO_LARGE, message)
        else:
            outcome = self._outcome(data)
        document = _document(data, uri, parent_id, outcome)
        names = outcome.header.get("names", [])
        attached = zip(names, outcome.parts[1:], strict=True)
        uris = [(f"{uri}#{number}/{quote(name)}", part) for number, (name, part) in enumerate(attached, 1)]
        return ReadResult(document, data), uris

    def _outcome(self, data: bytes) -> _Outcome:
        """What a worker says of `data`. Where an earlier document may be the cause, a new worker tries."""
        for _ in range(2):
            with self._worker() as worker:
                used = worker.reads > 0
                outcome, clean = self._ask(worker, data)
                if not clean:
                    worker.end()
            if clean or not used or outcome.header["category"] == Category.READER_TIMEOUT:
                break
        return outcome

    def _ask(self, worker: WorkerProcess, data: bytes) -> tuple[_Outcome, bool]:
        """One read, and whether the worker can be used again."""
        known = _failure(Category.UNREADABLE, "")

        def announce(frame: Frame) -> None:
            nonlocal known
            known = replace(known, media_type=frame.header["media_type"], reader=frame.header["reader"])

        try:
            frame = worker.ask(data, self._timeout_s, announce)
        except WorkerLate:
            message = f"Reading took more than {self._timeout_s:g} s; split it or save it in another format."
            return _failure(Category.READER_TIMEOUT, message, known), False
        except WorkerDied as death:
            return _failure(*self._death(death), known), False
        header = dict(frame.header)
        if header.get("memory"):
            header["message"] = self._memory_message()
        return replace(known, header=header, parts=frame.parts), not header.get("memory")

    def _death(self, death: WorkerDied) -> tuple[Category, str]:
        """The category of a crash: a library that gets no memory dies in its own way."""
        if death.peak > self._memory_bytes / 2 or any(mark in death.stderr for mark in _OUT_OF_MEMORY):
            return Category.TOO_LARGE, self._memory_message()
        how = signal.Signals(-death.returncode).name if death.returncode < 0 else f"exit {death.returncode}"
        return Category.UNREADABLE, f"The reader crashed on the document ({how}); save it again."

    def _memory_message(self) -> str:
        return f"Reading needs more than {self._memory_bytes / 1e6:,.0f} MB of memory; split the document."

    @contextmanager
    def _worker(self) -> Iterator[WorkerProcess]:
        """A ready worker for one read; given back if it still lives."""
        with self._slots:
            worker = self._take()
            try:
                yield worker
            except BaseException:
                worker.end()
                raise
            finally:
                self._give_back(worker)

    def _take(self) -> WorkerProcess:
        with self._lock:
            if self._closed:
                raise AssayError("The reader pool is closed.")
            worker = self._idle.pop() if self._idle else None
        if worker is not None and worker.alive():
            return worker
        if worker is not None:
            worker.end()
        return self._start()

    def _start(self) -> WorkerProcess:
        worker = self._starter.submit(
            WorkerProcess, self._module, self._memory_bytes, self._timeout_s
        ).result()
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
            keep = not self._closed and worker.alive() and worker.reads < _MAX_READS
            if keep:
                self._idle.append(worker)
        if not keep:
            worker.end()


def _failure(category: Category, message: str, known: _Outcome | None = None) -> _Outcome:
    header = {"category": category.value, "message": message}
    return replace(known, header=header) if known else _Outcome(media.BINARY, "sniff", header)


def _document(data: bytes, uri: str, parent_id: str | None, outcome: _Outcome) -> Document:
    header = outcome.header
    category = Category(header["category"]) if "category" in header else None
    return Document(
        document_id=hashlib.sha256(data).hexdigest(),
        uri=uri,
        media_type=outcome.media_type,
        size=len(data),
        text=outcome.parts[0].decode("utf-8") if category is None else "",
        page_starts=tuple(header["page_starts"]) if category is None else (),
        reader=media.stamp(outcome.reader),
        first_seen_at=datetime.now(UTC),
        parent_id=parent_id,
        category=category,
        message=header["message"] if category else header["note"],
    )

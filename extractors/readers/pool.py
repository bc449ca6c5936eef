"""Reads documents in worker processes: a crash, a bomb or a hang costs one document and one worker."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from urllib.parse import quote

from extractors.readers import media
from extractors.readers.workers import Limits, Outcome, Workers, failure
from schemas.records import Category, Document

DEFAULT_MEMORY = 1536 * 1024 * 1024
_MAX_DEPTH = 5
_MAX_FAMILY = 500


@dataclass(frozen=True, slots=True)
class ReadResult:
    """A document, readable or with its category, and its bytes."""

    document: Document
    data: bytes


@dataclass(frozen=True, slots=True)
class _Task:
    """A document to be read: how deep it lies, and in which document."""

    data: bytes
    uri: str
    parent_id: str | None = None
    depth: int = 0


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
        self._workers = Workers(worker_module, workers, Limits(timeout_s, memory_bytes))

    def __enter__(self) -> ReaderPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends all workers at once. A read that is under way in another thread raises AssayError."""
        self._workers.close()

    def read(self, data: bytes, uri: str) -> list[ReadResult]:
        """The document first, then its attachments, theirs, and so on, each content once.

        A bad document is a Document with a category and a message, never an exception. Raises AssayError only
        where the pool is closed or no worker can be started.
        """
        tasks = [_Task(data, uri)]
        results: dict[str, ReadResult] = {}
        for task in tasks:  # grows while it is walked: one level of attachments after the other
            if (key := _identity(task.data)) in results:
                continue
            outcome = self._outcome(task, len(tasks))
            results[key] = ReadResult(_document(key, task, outcome), task.data)
            tasks += _attached(task, key, outcome)
        return list(results.values())

    def _outcome(self, task: _Task, family: int) -> Outcome:
        if task.depth > _MAX_DEPTH:
            return failure(
                Category.TOO_LARGE, f"It lies more than {_MAX_DEPTH} mails deep; save it on its own."
            )
        if family > _MAX_FAMILY and task.depth:
            return failure(
                Category.TOO_LARGE, f"Its mail holds more than {_MAX_FAMILY} files; save it on its own."
            )
        return self._workers.read(task.data)


def _identity(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _attached(task: _Task, document_id: str, outcome: Outcome) -> list[_Task]:
    """The tasks that a document's attachments make. `mail.eml#2/a.pdf` is its second one."""
    attached = zip(outcome.header.get("names", ()), outcome.parts[1:], strict=True)
    return [
        _Task(data, f"{task.uri}#{number}/{quote(name, errors='replace')}", document_id, task.depth + 1)
        for number, (name, data) in enumerate(attached, 1)
    ]


def _document(document_id: str, task: _Task, outcome: Outcome) -> Document:
    header = outcome.header
    category = Category(header["category"]) if "category" in header else None
    return Document(
        document_id=document_id,
        uri=task.uri,
        media_type=outcome.media_type,
        size=len(task.data),
        text=outcome.parts[0].decode("utf-8") if category is None else "",
        page_starts=tuple(header["page_starts"]) if category is None else (),
        reader=media.stamp(outcome.reader),
        first_seen_at=datetime.now(UTC),
        parent_id=task.parent_id,
        category=category,
        message=header["message"] if category else header["note"],
    )

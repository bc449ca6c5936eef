"""The original of a document, from the archive: verified bytes, shown by worker processes that may break.

Nothing of a document reaches a browser as it is: pages are drawn, the rest becomes text. Where that cannot be
done, ReadError or WarehouseError says why in words.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from extractors.readers.original import request
from extractors.readers.pool import DEFAULT_MEMORY
from extractors.readers.workers import Limits, Workers
from schemas.errors import ReadError
from schemas.records import Category
from warehouse.archive import Archive

WORKER = "extractors.readers.original"
TIMEOUT_S = 10.0
AT_ONCE = 2
"""Documents that are drawn at once: a page that hangs keeps one of them for the time above."""
_INSTEAD = {
    Category.READER_TIMEOUT: f"Showing it took more than {TIMEOUT_S:g} s; it is shown as its text only.",
    Category.TOO_LARGE: "Showing it needs more memory than there is for one document.",
}


class Originals:
    """Shows archived documents. The processes start with the first one, and end with `close`.

    Safe to call from any thread. Each method raises ReadError, or WarehouseError for bytes that are missing
    or damaged.
    """

    def __init__(self, archive: Archive, limits: Limits | None = None) -> None:
        self._archive = archive
        self._limits = limits or Limits(TIMEOUT_S, DEFAULT_MEMORY)
        self._lock = threading.Lock()
        self._workers: Workers | None = None

    def close(self) -> None:
        """End the processes; a later call starts new ones."""
        with self._lock:
            workers, self._workers = self._workers, None
        if workers:
            workers.close()

    def verify(self, document_id: str) -> None:
        """Read the bytes, to know that they are there and whole."""
        self._archive.get(document_id)

    def pages(self, document_id: str) -> Mapping[str, Any]:
        """A PDF's `count` of pages and `sizes` of them in pixels."""
        found: Mapping[str, Any] = self._told(document_id, wanted="pages")
        return found

    def picture(self, document_id: str, page: int) -> bytes:
        """A page of a PDF as PNG, counted from 1."""
        return self._asked(document_id, wanted="picture", page=page)[1]

    def boxes(
        self, document_id: str, page: int, text: str, spans: Sequence[tuple[int, int]]
    ) -> list[list[list[int]]]:
        """Where spans of a page's text stand on it; see `extractors.readers.pdf_picture.boxes`."""
        return list(self._told(document_id, wanted="boxes", page=page, text=text, spans=spans))

    def mail(self, document_id: str) -> Mapping[str, Any]:
        """A mail's `headers`, and `attachments` with their SHA-256."""
        found: Mapping[str, Any] = self._told(document_id, wanted="mail")
        return found

    def markup(self, document_id: str) -> Mapping[str, Any]:
        """A text's own writing, as HTML has one beside what it shows: `text`, and how much was `cut`."""
        found: Mapping[str, Any] = self._told(document_id, wanted="markup")
        return found

    def _told(self, document_id: str, **wanted: Any) -> Any:
        return json.loads(self._asked(document_id, **wanted)[0])

    def _asked(self, document_id: str, **wanted: Any) -> tuple[bytes, ...]:
        outcome = self._running().read(request(self._archive.get(document_id), **wanted))
        if "category" in outcome.header:
            category = Category(outcome.header["category"])
            raise ReadError(category, _INSTEAD.get(category, outcome.header["message"]))
        return outcome.parts

    def _running(self) -> Workers:
        with self._lock:
            self._workers = self._workers or Workers(WORKER, AT_ONCE, self._limits)
            return self._workers

"""All documents of one blob: itself and what is attached to it. They are landed together."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from mimetypes import guess_type

from schemas.errors import ReadError
from schemas.records import Blob, Document, Extraction
from warehouse.rows import Sighting


@dataclass(slots=True)
class Bundle:
    """A blob on its way. `waiting` holds the ids of documents whose outcome is not there yet.

    `seen`: its bytes could be had. `listed`: a listing found it. `landed`: the warehouse has its documents as
    they are.
    """

    blob: Blob
    documents: list[Document]
    waiting: set[str]
    extractions: list[Extraction] = field(default_factory=list)
    seen: bool = True
    listed: bool = True
    landed: bool = False

    @property
    def complete(self) -> bool:
        """Whether every document that this bundle has to do is done."""
        return not self.waiting

    @property
    def sightings(self) -> list[Sighting]:
        """What was found in the blob; nothing where its bytes could not be had, so that it is tried again."""
        found = tuple(document.document_id for document in self.documents)
        return [Sighting(self.blob, found)] if self.seen and self.listed else []

    @property
    def news(self) -> list[Document]:
        """The documents that the warehouse does not have as they are now."""
        return [] if self.landed else self.documents

    def add(self, extraction: Extraction) -> None:
        """Take in one document's outcome."""
        self.waiting.discard(extraction.document_id)
        self.extractions.append(extraction)


@dataclass(frozen=True, slots=True)
class Job:
    """One document to extract, and the bundle that waits for it."""

    document: Document
    bundle: Bundle


def unread(blob: Blob, error: ReadError) -> Bundle:
    """A bundle for a blob that was listed and could not be read: it still gets its row."""
    document = Document(
        document_id=stand_in_id(blob),
        uri=blob.uri,
        media_type=guess_type(blob.uri)[0] or "application/octet-stream",
        size=blob.size,
        text="",
        page_starts=(),
        reader="none",
        first_seen_at=datetime.now(UTC),
        category=error.category,
        message=str(error),
    )
    return Bundle(blob, [document], {document.document_id}, seen=False)


def stand_in_id(blob: Blob) -> str:
    """A document_id for a blob whose bytes could not be had: a SHA-256 over what the listing says of it."""
    return sha256(f"unread\0{blob.uri}\0{blob.size}\0{blob.modified}".encode(errors="replace")).hexdigest()

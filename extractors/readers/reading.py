"""What a reader takes from one document's bytes, and the limits that hold for all readers."""

from __future__ import annotations

from dataclasses import dataclass

MAX_UNPACKED = 256 * 1024 * 1024
"""Bytes that a packed document (zip) may unpack to."""
MAX_CHARACTERS = 50_000_000
"""Code points of text that one document may give."""
MAX_ATTACHMENTS = 200
"""Attachments that one mail may carry, those of inline mails included."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that travels inside a document and is a document of its own."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Reading:
    """A document's text. `page_starts` are code point offsets into `text`; `note` tells what is missing."""

    text: str
    page_starts: tuple[int, ...] = (0,)
    attachments: tuple[Attachment, ...] = ()
    note: str | None = None

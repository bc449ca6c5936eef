"""One document's bytes to its media type and reading. Runs in a worker: it may hang or crash."""

from __future__ import annotations

import re
from collections.abc import Callable

from extractors.readers import media
from extractors.readers.docx import read_docx
from extractors.readers.html import read_html
from extractors.readers.mail import read_mail
from extractors.readers.pdf import read_pdf
from extractors.readers.reading import MAX_CHARACTERS, Reading
from extractors.readers.sheet import read_sheet
from extractors.readers.sniff import container_type, sniff
from extractors.readers.text import read_text
from schemas.errors import ReadError
from schemas.records import Category

_BYTE_READERS: dict[str, Callable[[bytes], Reading]] = {
    "pdf": read_pdf,
    "docx": read_docx,
    "sheet": read_sheet,
}
_UNSEEN = re.compile(r"[\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+")
"""White space, and characters that show nothing."""
_TEXT_READERS: dict[str, Callable[[str], Reading]] = {"text": read_text, "html": read_html}


def read(data: bytes, announce: Callable[[str, str], None]) -> Reading:
    """Reads `data`. `announce(media_type, reader)` is called first, so that a crash has a name.

    Raises ReadError with a read category where there is no text to give.
    """
    if not data.strip(b" \t\r\n\0\x0b\x0c\xef\xbb\xbf\xfe\xff"):
        announce(media.TEXT, "sniff")
        raise ReadError(Category.EMPTY, "The document is empty or holds white space only.")
    announce(container_type(data), "sniff")
    kind, text = sniff(data)
    reader = media.READER_OF.get(kind)
    announce(kind, reader or "sniff")
    if reader is None:
        advice = media.INSTEAD.get(
            kind, "Assay reads text, Markdown, HTML, PDF, DOCX, XLSX, CSV, EML, JSON and XML."
        )
        raise ReadError(Category.UNSUPPORTED_TYPE, f"No reader for {kind}. {advice}")
    return _checked(_read(reader, data, text or ""))


def _read(reader: str, data: bytes, text: str) -> Reading:
    if reader == "mail":
        return read_mail(text, data)
    if reader in _TEXT_READERS:
        return _TEXT_READERS[reader](text)
    return _BYTE_READERS[reader](data)


def _checked(reading: Reading) -> Reading:
    if len(reading.text) > MAX_CHARACTERS:
        size = f"{len(reading.text):,} characters, more than {MAX_CHARACTERS:,}"
        message = f"The text has {size}; split the document."
        raise ReadError(Category.TOO_LARGE, message)
    if not _UNSEEN.sub("", reading.text) and not reading.attachments:
        raise ReadError(Category.EMPTY, "The document holds no text.")
    return reading

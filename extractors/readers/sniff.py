"""What a document is, by its content. Names lie: they are never looked at."""

from __future__ import annotations

import io
import re
import zipfile
import zlib

import olefile
import puremagic

from extractors.readers import media
from extractors.readers.reading import MAX_UNPACKED
from extractors.readers.sniff_text import text_type
from extractors.readers.text import decode
from schemas.errors import ReadError
from schemas.records import Category

_HEAD = 1024
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAX_MEMBERS = 10_000
_ZIP_PARTS = (
    (b"wordprocessingml.document.main", media.DOCX),
    (b"wordprocessingml.template.main", media.DOCX),
    (b"ms-word.document.macroEnabled.main", media.DOCX),
    (b"spreadsheetml.sheet.main", media.XLSX),
    (b"spreadsheetml.template.main", media.XLSX),
    (b"ms-excel.sheet.macroEnabled.main", media.XLSX),
    (b"ms-excel.sheet.binary.macroEnabled.main", media.XLSB),
    (b"presentationml.", media.PPTX),
)


def container_type(data: bytes) -> str:
    """What the first bytes alone show, for the documents in which nothing more can be seen."""
    magics = {b"PK\x03\x04": media.ZIP, _OLE: media.OLE}
    return next((kind for magic, kind in magics.items() if data.startswith(magic)), media.BINARY)


def sniff(data: bytes) -> tuple[str, str | None]:
    """The media type of `data`, and its decoded text where it is a kind of text.

    Raises ReadError `encrypted`, `too_large` or `unreadable` for containers that already show it.
    """
    if _is_pdf(data):
        return media.PDF, None
    if data.startswith(b"PK\x03\x04"):
        return _zip_type(data), None
    if data.startswith(_OLE):
        return _ole_type(data), None
    text = decode(data)
    if text is None:
        return _binary_type(data), None
    return text_type(text), text


def _is_pdf(data: bytes) -> bool:
    """Whether `data` is a PDF, perhaps with something before its header; a text may name the format."""
    at = data[:_HEAD].find(b"%PDF-")
    return at >= 0 and (not data[:at].strip() or re.search(rb"\b(?:obj|xref)\b", data) is not None)


def _zip_type(data: bytes) -> str:
    """The Office type that the package's own table of parts declares, or plain zip."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            _refuse_bomb(package)
            names = set(package.namelist())
            if "mimetype" in names:
                return _head(package, "mimetype").decode("ascii", "replace").strip()[:100]
            types = _head(package, "[Content_Types].xml") if "[Content_Types].xml" in names else b""
    except (
        zipfile.BadZipFile,
        zipfile.LargeZipFile,
        NotImplementedError,
        EOFError,
        OSError,
        ValueError,
        zlib.error,
    ) as error:
        raise ReadError(
            Category.UNREADABLE, f"The zip package is damaged ({error}); save the file again."
        ) from error
    except RuntimeError as error:  # zipfile's way to say that a member has a password
        raise ReadError(Category.ENCRYPTED, "The package has a password; save a copy without one.") from error
    return next((kind for mark, kind in _ZIP_PARTS if mark in types), media.ZIP)


def _head(package: zipfile.ZipFile, name: str) -> bytes:
    with package.open(name) as member:
        return member.read(1_000_000)


def _refuse_bomb(package: zipfile.ZipFile) -> None:
    """Raises `too_large` where the package says that it unpacks to more than the limit."""
    members = package.infolist()
    unpacked = sum(member.file_size for member in members)
    if unpacked > MAX_UNPACKED or len(members) > _MAX_MEMBERS:
        size = f"{unpacked / 1e6:,.0f} MB in {len(members):,} parts"
        raise ReadError(Category.TOO_LARGE, f"The package unpacks to {size}; split the document.")


def _ole_type(data: bytes) -> str:
    """The type of an OLE compound file: old Office formats, Outlook messages, encrypted new Office."""
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as ole:
            streams = {entry[0] for entry in ole.listdir() if entry}
    except Exception as error:  # olefile raises whatever the damage leads to
        raise ReadError(Category.UNREADABLE, f"The OLE file is damaged ({error}).") from error
    if "EncryptedPackage" in streams:  # MS-OFFCRYPTO: an Office package with a password
        raise ReadError(Category.ENCRYPTED, "The Office file has a password; save a copy without one.")
    kinds = {
        "__properties_version1.0": media.MSG,
        "WordDocument": media.DOC,
        "Workbook": media.XLS,
        "Book": media.XLS,
    }
    return next((kind for name, kind in kinds.items() if name in streams), media.OLE)


def _binary_type(data: bytes) -> str:
    """A name for bytes that are no text, as far as their magic number tells."""
    try:
        return puremagic.from_string(data[:8192], mime=True) or media.BINARY
    except (puremagic.PureError, ValueError):
        return media.BINARY

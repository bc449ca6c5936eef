"""Media types (IANA names where there is one), and which reader reads each."""

from __future__ import annotations

from importlib.metadata import version

_OFFICE = "application/vnd.openxmlformats-officedocument."
PDF = "application/pdf"
DOCX = _OFFICE + "wordprocessingml.document"
XLSX = _OFFICE + "spreadsheetml.sheet"
PPTX = _OFFICE + "presentationml.presentation"
XLSB = "application/vnd.ms-excel.sheet.binary.macroenabled.12"
XLS = "application/vnd.ms-excel"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
DOC = "application/msword"
MSG = "application/vnd.ms-outlook"
OLE = "application/x-ole-storage"
ZIP = "application/zip"
BINARY = "application/octet-stream"
TEXT = "text/plain"
MARKDOWN = "text/markdown"
HTML = "text/html"
CSV = "text/csv"
TSV = "text/tab-separated-values"
XML = "application/xml"
JSON = "application/json"
JSON_LINES = "application/jsonl"
RTF = "application/rtf"
EML = "message/rfc822"

READER_OF: dict[str, str] = {
    PDF: "pdf",
    DOCX: "docx",
    XLSX: "sheet",
    XLSB: "sheet",
    XLS: "sheet",
    ODS: "sheet",
    TEXT: "text",
    MARKDOWN: "text",
    CSV: "text",
    TSV: "text",
    XML: "text",
    JSON: "text",
    JSON_LINES: "text",
    HTML: "html",
    EML: "mail",
}
"""The reader of each media type that can be read."""

INSTEAD: dict[str, str] = {
    MSG: "Save the message as .eml.",
    DOC: "Save the document as .docx or PDF.",
    RTF: "Save the document as .docx or PDF.",
    PPTX: "Export the slides as PDF.",
    ZIP: "Unpack the archive and extract from the folder.",
}
"""What a person can do about a media type that no reader reads."""


def _stamp(revision: int, *packages: str) -> str:
    return " ".join([str(revision), *(f"{package}-{version(package)}" for package in packages)])


READER_VERSIONS: dict[str, str] = {
    "sniff": _stamp(1, "olefile", "puremagic"),
    "text": _stamp(1, "charset-normalizer"),
    "html": _stamp(1, "selectolax", "charset-normalizer"),
    "pdf": _stamp(1, "pypdfium2"),
    "docx": _stamp(1, "python-docx"),
    "sheet": _stamp(1, "python-calamine"),
    "mail": _stamp(1, "selectolax", "charset-normalizer"),
}
"""Each reader's revision and the packages that decide its text. Raise it when the text changes."""


def stamp(reader: str) -> str:
    """The name and version that a Document carries, such as `pdf@1 pypdfium2-5.15.2`."""
    return f"{reader}@{READER_VERSIONS[reader]}"

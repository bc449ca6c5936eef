"""DOCX to text: paragraphs, tables (cells divided by tabs), text boxes, headers, footers, notes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import docx as python_docx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml

from extractors.readers.reading import Reading
from extractors.readers.text import clean
from schemas.errors import ReadError
from schemas.records import Category

_SKIPPED = frozenset(("del", "moveFrom", "instrText", "delText", "Fallback", "rPr", "pPr", "tcPr", "tblPr"))
_NOTES = (RELATIONSHIP_TYPE.FOOTNOTES, RELATIONSHIP_TYPE.ENDNOTES)


def read_docx(data: bytes) -> Reading:
    """The document's text as it stands with all tracked changes accepted. Raises ReadError `unreadable`."""
    try:
        document = python_docx.Document(io.BytesIO(data))
        lines = [line for element in _parts(document) for line in _lines(element)]
    except (MemoryError, ReadError):
        raise
    except Exception as error:  # python-docx and lxml raise whatever the damage leads to
        if "limit exceeded" in str(error):  # libxml2's own bounds on what one element may hold
            message = f"The Word document is too large ({error}); split it."
            raise ReadError(Category.TOO_LARGE, message) from error
        message = f"The Word document is damaged ({error}); save it again."
        raise ReadError(Category.UNREADABLE, message) from error
    return Reading(clean("\n".join(lines) + "\n" if lines else ""))


def _parts(document: Any) -> Iterator[Any]:
    """The XML roots that hold text: headers, body, footers, foot and end notes, each once."""
    headers, footers = _sections(document)
    yield from headers
    yield document.element.body
    yield from footers
    for relation in document.part.rels.values():
        if not relation.is_external and relation.reltype in _NOTES:
            yield parse_xml(relation.target_part.blob)


def _sections(document: Any) -> tuple[list[Any], list[Any]]:
    headers: list[Any] = []
    footers: list[Any] = []
    for section in document.sections:
        for found, linked in ((headers, section.header), (footers, section.footer)):
            if not linked.is_linked_to_previous:
                found.append(linked._element)
        if section.different_first_page_header_footer:
            headers.append(section.first_page_header._element)
            footers.append(section.first_page_footer._element)
    return headers, footers


def _name(element: Any) -> str:
    """An element's local name; comments and processing instructions have none."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _lines(container: Any) -> Iterator[str]:
    """The lines of a body, header, note or table cell."""
    for child in container:
        name = _name(child)
        if name == "p":
            yield from _paragraph(child)
        elif name == "tbl":
            yield from _table(child)
        elif name and name not in _SKIPPED and name != "sectPr":
            yield from _lines(child)


def _paragraph(paragraph: Any) -> Iterator[str]:
    """A paragraph's own lines, then those of the text boxes that are anchored in it."""
    text: list[str] = []
    boxes: list[Any] = []
    _runs(paragraph, text, boxes)
    yield from "".join(text).rstrip().split("\n")
    for box in boxes:
        yield from _lines(box)


def _runs(element: Any, text: list[str], boxes: list[Any]) -> None:
    for child in element:
        name = _name(child)
        if name == "t":
            text.append(child.text or "")
        elif name in ("tab", "ptab"):
            text.append("\t")
        elif name in ("br", "cr"):
            text.append("\n")
        elif name == "noBreakHyphen":
            text.append("-")
        elif name == "txbxContent":
            boxes.append(child)
        elif name not in _SKIPPED and name != "tabs":
            _runs(child, text, boxes)


def _table(table: Any) -> Iterator[str]:
    """One line a row. A cell that spans columns stands once."""
    for row in _find(table, "tr"):
        cells = [" ".join(line for line in _lines(cell) if line.strip()) for cell in _find(row, "tc")]
        yield "\t".join(cells).rstrip()


def _find(parent: Any, name: str) -> Iterator[Any]:
    """Children named `name`, also inside content controls and accepted insertions."""
    for child in parent:
        found = _name(child)
        if found == name:
            yield child
        elif found in ("sdt", "sdtContent", "ins", "customXml"):
            yield from _find(child, name)

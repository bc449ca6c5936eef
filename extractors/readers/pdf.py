"""PDF to text through PDFium: pages in order, form values at their ends; never embedded files."""

from __future__ import annotations

import re

import pypdfium2
import pypdfium2.raw as pdfium

from extractors.readers.pdf_chars import page_text, shows_picture
from extractors.readers.pdf_forms import form_values
from extractors.readers.reading import MAX_CHARACTERS, Reading
from extractors.readers.text import clean
from schemas.errors import ReadError
from schemas.records import Category

_PASSWORD = {pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY}
_UNMAPPED = re.compile(r"[\ufffd\ue000-\uf8ff]")
_SPARSE = 30
"""Word characters a page; on pages that are pictures, fewer are a scanner's stamp or a page number."""
_STARTXREF = re.compile(rb"startxref\s+(\d{1,12})\s+%%EOF")
_XREF = re.compile(rb"\s*(?:xref|\d+\s+\d+\s+obj)")
_WORD = re.compile(r"\w")


def read_pdf(data: bytes) -> Reading:
    """The text layer of each page. Raises ReadError: any read category."""
    document = opened(data)
    if document.get_formtype() == pdfium.FORMTYPE_XFA_FULL:
        # What such a file shows elsewhere is "Please wait...": only Adobe's programs make its real pages.
        raise ReadError(Category.UNSUPPORTED_TYPE, "The PDF is an XFA form; print it to PDF first.")
    texts, failed = _pages(document)
    if not texts or len(failed) == len(texts):
        raise ReadError(Category.UNREADABLE, "No page of the PDF can be opened; print it to PDF again.")
    try:
        _check_text_layer("".join(texts), document, data)
    except pypdfium2.PdfiumError as error:
        raise ReadError(
            Category.UNREADABLE, f"The PDF is damaged ({error}); print it to PDF again."
        ) from error
    starts = [0]
    for text in texts[:-1]:
        starts.append(starts[-1] + len(text))
    return Reading("".join(texts), tuple(starts), note=_note(texts, failed))


def opened(data: bytes) -> pypdfium2.PdfDocument:
    """The document, its forms ready where it has any. Raises ReadError `encrypted`, `unreadable`."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code in _PASSWORD:
            message = "The PDF needs a password; save a copy without one."
            raise ReadError(Category.ENCRYPTED, message) from error
        message = f"The PDF cannot be opened ({error}); print it to PDF again."
        raise ReadError(Category.UNREADABLE, message) from error
    if document.get_formtype() != pdfium.FORMTYPE_NONE:
        document.init_forms()
    return document


def _pages(document: pypdfium2.PdfDocument) -> tuple[list[str], list[int]]:
    """Each page's text, ended by a line end, and the numbers of the pages that failed (from 1)."""
    texts: list[str] = []
    failed: list[int] = []
    size = 0
    for index in range(len(document)):
        try:
            page = document[index]
            text = clean(page_text(page) + form_values(document, page))
            page.close()
        except pypdfium2.PdfiumError:
            failed.append(index + 1)
            text = ""
        texts.append(text if not text or text.endswith("\n") else text + "\n")
        size += len(text)
        if size > MAX_CHARACTERS:
            raise ReadError(
                Category.TOO_LARGE, f"The PDF holds more than {MAX_CHARACTERS:,} characters; split it."
            )
    return texts, failed


def _check_text_layer(text: str, document: pypdfium2.PdfDocument, data: bytes) -> None:
    """Raises `no_text_layer` where pages show something but no text: pictures, or glyphs of no character."""
    words = len(_WORD.findall(_UNMAPPED.sub("", text)))
    if words > _SPARSE * len(document) or (words and not all(map(shows_picture, document))):
        return
    if any(pdfium.FPDFPage_CountObjects(document[index]) > 0 for index in range(len(document))):
        message = "The PDF has no text layer (a scan, or fonts without a Unicode map); run OCR on it first."
        raise ReadError(Category.NO_TEXT_LAYER, message)
    if _is_whole(data):
        raise ReadError(Category.EMPTY, "All pages of the PDF are blank.")
    raise ReadError(Category.UNREADABLE, "The PDF is damaged and shows nothing; print it to PDF again.")


def _is_whole(data: bytes) -> bool:
    """Whether the file's end points to a cross-reference table, as it does unless it was damaged."""
    found = list(_STARTXREF.finditer(data[-2048:]))
    return bool(found) and bool(_XREF.match(data, int(found[-1].group(1))))


def _note(texts: list[str], failed: list[int]) -> str | None:
    """What a person should know of a PDF that was read in part."""
    silent = [page for page, text in enumerate(texts, 1) if not text.strip() and page not in failed]
    parts = [f"pages that cannot be opened: {_list(failed)}"] if failed else []
    parts += [f"pages without text: {_list(silent)}"] if silent else []
    return f"Read in part; {'; '.join(parts)}." if parts else None


def _list(numbers: list[int]) -> str:
    more = f" and {len(numbers) - 20} more" if len(numbers) > 20 else ""
    return ", ".join(map(str, numbers[:20])) + more

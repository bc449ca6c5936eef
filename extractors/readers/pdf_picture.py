"""A PDF page as a picture, and where on it a text stands. Runs in a worker: PDFium may hang or crash."""

from __future__ import annotations

import ctypes
import io
import math
from collections.abc import Iterator, Sequence

import pypdfium2
import pypdfium2.raw as pdfium

from extractors.readers.pdf import opened
from schemas.errors import ReadError
from schemas.records import Category

WIDTH = 1200
"""Pixels of a page's width, fewer where it would be too high."""
MAX_PIXELS = 6_000_000
MAX_SIDE = 6_000
MOST_PAGES = 5_000
"""Pages that are listed."""
LETTER = (612.0, 792.0)
GRID = 10_000
"""Boxes are in this many parts of the page's width and height, from its top left corner."""
_HYPHENS = ("\x02", "\ufffe")
Box = tuple[int, int, int, int]
"""left, top, right, bottom"""


def sizes(data: bytes) -> tuple[int, list[tuple[int, int]]]:
    """How many pages there are, and the picture's size in pixels of each that is listed. Raises ReadError."""
    document = opened(data)
    count = len(document)
    return count, [_pixels(*_size(document, index)) for index in range(min(count, MOST_PAGES))]


def picture(data: bytes, number: int) -> bytes:
    """Page `number`, from 1, as PNG. Raises ReadError where there is no such page, or it cannot be drawn."""
    page = _page(opened(data), number)
    try:
        drawn = page.render(scale=_scale(*page.get_size()), may_draw_forms=True).to_pil()
    except (pypdfium2.PdfiumError, ValueError) as error:
        raise _damaged(number) from error
    out = io.BytesIO()
    drawn.save(out, "PNG", compress_level=1)
    return out.getvalue()


def boxes(data: bytes, number: int, text: str, spans: Sequence[tuple[int, int]]) -> list[list[Box]]:
    """Where each span (code point offsets) of the page's `text` stands: a box for each line of it.

    `text` is what the reader took from the page. A span that does not stand on it as PDFium reads it, as in
    a form's value, has no box.
    """
    page = _page(opened(data), number)
    textpage = page.get_textpage()
    shown = _shown(textpage)
    ordinal = _ordinals(text)
    found = []
    for start, end in spans:
        start, end = max(start, 0), min(end, len(text))
        wanted = shown[ordinal[start] : ordinal[end]] if start < end else []
        matches = "".join(char for char, _ in wanted) == _solid(text[start:end])
        found.append(_lines(_box(page, textpage, index) for _, index in wanted) if matches else [])
    return found


def _page(document: pypdfium2.PdfDocument, number: int) -> pypdfium2.PdfPage:
    if not 1 <= number <= len(document):
        raise ReadError(Category.UNREADABLE, f"There is no page {number}: the PDF has {len(document)}.")
    try:
        return document[number - 1]
    except pypdfium2.PdfiumError as error:
        raise _damaged(number) from error


def _damaged(number: int) -> ReadError:
    return ReadError(Category.UNREADABLE, f"Page {number} of the PDF is damaged and cannot be drawn.")


def _size(document: pypdfium2.PdfDocument, index: int) -> tuple[float, float]:
    """A page's width and height in points; those of a letter where they cannot be told."""
    try:
        width, height = document.get_page_size(index)
    except pypdfium2.PdfiumError:
        return LETTER
    return (width, height) if width > 0 and height > 0 else LETTER


def _pixels(width: float, height: float) -> tuple[int, int]:
    scale = _scale(width, height)
    return max(1, math.ceil(width * scale)), max(1, math.ceil(height * scale))


def _scale(width: float, height: float) -> float:
    """Pixels a point, so that a page of any size, and one may claim any, gives a picture of bounded size."""
    if not (0 < width < math.inf and 0 < height < math.inf):
        raise ValueError(f"a page of {width} by {height} points")
    return min(WIDTH / width, MAX_SIDE / height, math.sqrt(MAX_PIXELS / width / height))


def _shown(textpage: pypdfium2.PdfTextPage) -> list[tuple[str, int]]:
    """Each character of a page that is no white space, with PDFium's index of it."""
    found = []
    for index in range(textpage.count_chars()):
        code = pdfium.FPDFText_GetUnicode(textpage, index)
        char = chr(code) if code < 0x110000 else "\ufffd"
        found += [(one, index) for one in _solid(char)]
    return found


def _solid(text: str) -> str:
    """What shows of a text; PDFium has a mark of its own for a hyphen at a line end."""
    for mark in _HYPHENS:
        text = text.replace(mark, "-")
    return "".join(char for char in text if not char.isspace() and char.isprintable())


def _ordinals(text: str) -> list[int]:
    """How many characters that show stand before each offset, and before the end."""
    counts = [0]
    for char in text:
        counts.append(counts[-1] + len(_solid(char)))
    return counts


def _box(page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage, index: int) -> Box:
    """One character's box on the page as it is shown: cropped and turned."""
    rect = pdfium.FS_RECTF()
    pdfium.FPDFText_GetLooseCharBox(textpage, index, rect)
    corners = (_shown_at(page, rect.left, rect.top), _shown_at(page, rect.right, rect.bottom))
    (left, right), (top, bottom) = (sorted(axis) for axis in zip(*corners, strict=True))
    return left, top, right, bottom


def _shown_at(page: pypdfium2.PdfPage, x: float, y: float) -> tuple[int, int]:
    across, down = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDF_PageToDevice(page, 0, 0, GRID, GRID, 0, x, y, across, down)
    return across.value, down.value


def _lines(characters: Iterator[Box]) -> list[Box]:
    """Characters' boxes, those of one line joined."""
    joined: list[Box] = []
    for box in characters:
        if joined and _same_line(joined[-1], box):
            last = joined.pop()
            edges = zip(last[:2], box[:2], strict=True), zip(last[2:], box[2:], strict=True)
            box = (*map(min, edges[0]), *map(max, edges[1]))  # type: ignore[assignment]
        joined.append(box)
    return joined


def _same_line(one: Box, other: Box) -> bool:
    """Whether two boxes share more than half of the lower one's height."""
    shared = min(one[3], other[3]) - max(one[1], other[1])
    return shared * 2 > min(one[3] - one[1], other[3] - other[1]) > 0

"""The text of one PDF page, without the copies that printing twice leaves (imitated bold, shadows)."""

from __future__ import annotations

import ctypes
import re

import pypdfium2
import pypdfium2.raw as pdfium

_DOUBLED = re.compile(r"(\w)\1(?=(\w)\2)")
_SUSPICIOUS_SHARE = 0.05
_HYPHEN = re.compile(r"[\x02\ufffe]\r?\n?")


def page_text(page: pypdfium2.PdfPage) -> str:
    """The page's text in PDFium's reading order. Code points, lines by \\r\\n. Raises PdfiumError."""
    textpage = page.get_textpage()
    try:
        text = textpage.get_text_range(errors="replace")
        if _looks_double_struck(text):
            text = _without_copies(textpage)
    finally:
        textpage.close()
    # PDFium joins a word hyphenated at a line end by this mark; the hyphen and the line end come back.
    return _HYPHEN.sub("-\n", text)


def shows_picture(page: pypdfium2.PdfPage) -> bool:
    """Whether one picture covers more than half of the page, as on a scan. Raises PdfiumError."""
    width, height = page.get_size()
    for picture in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=3):
        left, bottom, right, top = picture.get_bounds()
        if (right - left) * (top - bottom) > 0.5 * width * height:
            return True
    return False


def _looks_double_struck(text: str) -> bool:
    """Whether pairs such as "FFAA" are frequent. Looking at each glyph's place is slow, so only then."""
    return len(_DOUBLED.findall(text)) * 4 > _SUSPICIOUS_SHARE * max(20, len(text))


def _without_copies(textpage: pypdfium2.PdfTextPage) -> str:
    """The text less each character that lies on an equal one just before it."""
    kept: list[str] = []
    last: tuple[str, tuple[float, float, float]] | None = None
    for index in range(textpage.count_chars()):
        code = pdfium.FPDFText_GetUnicode(textpage, index)
        character = chr(code) if code < 0x110000 else "\ufffd"
        place = _place(textpage, index)
        if last is not None and character == last[0] and not character.isspace() and _same(place, last[1]):
            continue
        kept.append(character)
        last = (character, place)
    return "".join(kept)


def _place(textpage: pypdfium2.PdfTextPage, index: int) -> tuple[float, float, float]:
    """A character's origin and its font size, in points."""
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(textpage, index, x, y)
    return x.value, y.value, pdfium.FPDFText_GetFontSize(textpage, index)


def _same(one: tuple[float, float, float], other: tuple[float, float, float]) -> bool:
    """Whether two characters lie nearer than a fifth of their size: no glyph but a hairline is so narrow."""
    reach = max(0.5, 0.12 * one[2])
    return abs(one[0] - other[0]) <= reach and abs(one[1] - other[1]) <= reach

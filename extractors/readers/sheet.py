"""Spreadsheets (XLSX, XLSB, XLS, ODS) to text: a sheet is a page, a row a line, cells divided by tabs."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetTypeEnum, SheetVisibleEnum

from extractors.readers.reading import MAX_CHARACTERS, Reading
from extractors.readers.text import clean
from schemas.errors import ReadError
from schemas.records import Category

Cell = int | float | str | bool | time | date | datetime | timedelta


def read_sheet(data: bytes) -> Reading:
    """The cells' values as a person sees them, without number formats.

    Raises ReadError `encrypted`, `unreadable`, `too_large`.
    """
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
        return _read(workbook)
    except PasswordError as error:
        message = "The workbook has a password; save a copy without one."
        raise ReadError(Category.ENCRYPTED, message) from error
    except (CalamineError, ValueError, OSError) as error:
        message = f"The workbook is damaged ({error}); save it again."
        raise ReadError(Category.UNREADABLE, message) from error


def _read(workbook: CalamineWorkbook) -> Reading:
    shown = [
        sheet.name
        for sheet in workbook.sheets_metadata
        if sheet.visible == SheetVisibleEnum.Visible and sheet.typ == SheetTypeEnum.WorkSheet
    ]
    hidden = len(workbook.sheets_metadata) - len(shown)
    texts: list[str] = []
    starts: list[int] = []
    size = 0
    for name in shown:
        starts.append(size)
        texts.append(clean(f"{name}\n" + "".join(_lines(workbook, name, MAX_CHARACTERS - size)) + "\n"))
        size += len(texts[-1])
    note = f"Hidden sheets and charts that were not read: {hidden}." if hidden else None
    filled = any(text.strip() != name for text, name in zip(texts, shown, strict=True))
    return Reading("".join(texts) if filled else "", tuple(starts) if filled else (0,), note=note)


def _lines(workbook: CalamineWorkbook, name: str, room: int) -> Iterator[str]:
    """A sheet's rows, without empty rows and without the empty cells at a row's end."""
    for row in workbook.get_sheet_by_name(name).to_python(skip_empty_area=True):
        line = "\t".join(_cell(value) for value in row).rstrip("\t ")
        room -= len(line)
        if room < 0:
            raise ReadError(
                Category.TOO_LARGE, f"The workbook holds more than {MAX_CHARACTERS:,} characters."
            )
        if line:
            yield line + "\n"


def _cell(value: Cell) -> str:
    """A value's plain writing: 62 and not 62.0, 2024-03-09 and not 2024-03-09T00:00:00, one line."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return f"{value:.15g}" if abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    return " ".join(str(value).split())

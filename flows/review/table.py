"""A sheet's text as the table that it was, each cell with the pieces that light up in it."""

from __future__ import annotations

import bisect
import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from extractors.readers import media
from flows.review.document import LONGEST, Card, Piece, pieces

SHEETS = frozenset((media.XLSX, media.XLSB, media.XLS, media.ODS))
DIVIDED = frozenset((media.CSV, media.TSV))
MOST_ROWS = 1_000
MOST_COLUMNS = 100
_DELIMITERS = ",;\t|"
_SAMPLE = 8_000
Cell = tuple[int, int]
"""Where it stands in the text: start and end, in code points."""


@dataclass(frozen=True, slots=True)
class Table:
    """One sheet: its name, and its rows of cells, each a list of pieces.

    `more_rows` and `more_columns` are not among them.
    """

    name: str
    rows: list[list[list[Piece]]]
    more_rows: int
    more_columns: int


def tables(text: str, page_starts: Sequence[int], media_type: str, shown: Sequence[Card]) -> list[Table]:
    """The tables in the text of a workbook, a sheet a page, or of a CSV file."""
    text = text[:LONGEST]
    if media_type in DIVIDED:
        found = [("", list(_divided(text)))]
    else:
        edges = [*(start for start in page_starts if start < len(text)), len(text)]
        found = [_sheet(text, start, end) for start, end in pairwise(edges)]
    cuts = {edge for _, rows in found for row in rows for cell in row for edge in cell}
    lit = pieces(text, shown, cuts)
    starts = [piece.start for piece in lit]
    return [_table(name, rows, lit, starts) for name, rows in found]


def _table(name: str, rows: list[list[Cell]], lit: Sequence[Piece], starts: Sequence[int]) -> Table:
    shown = [[_between(lit, starts, cell) for cell in row[:MOST_COLUMNS]] for row in rows[:MOST_ROWS]]
    widest = max(map(len, rows), default=0)
    return Table(name, shown, max(len(rows) - MOST_ROWS, 0), max(widest - MOST_COLUMNS, 0))


def _sheet(text: str, start: int, end: int) -> tuple[str, list[list[Cell]]]:
    """A sheet as `extractors.readers.sheet` writes it: its name, then a line a row, a tab between cells."""
    lines = [found.span() for found in re.finditer(r"[^\n]+", text[start:end])]
    if not lines:
        return "", []
    (first, last), *rest = [(start + one, start + other) for one, other in lines]
    return text[first:last], [list(_cells(text, line, re.compile(r"[^\t]*"), "\t")) for line in rest]


def _divided(text: str) -> Iterator[list[Cell]]:
    """The rows of a CSV file (RFC 4180); the delimiter is the one that its first lines use."""
    delimiter = _delimiter(text)
    cell = re.compile(rf'"(?:[^"]|"")*+"(?=[{re.escape(delimiter)}\n]|\Z)|[^{re.escape(delimiter)}\n]*')
    at = 0
    while at < len(text):
        row = list(_cells(text, (at, len(text)), cell, delimiter))
        yield row
        at = row[-1][1] + 1


def _cells(text: str, line: Cell, cell: re.Pattern[str], delimiter: str) -> Iterator[Cell]:
    """The cells from a place on, to the end of its line."""
    at, end = line
    while True:
        found = cell.match(text, at, end)
        assert found is not None  # noqa: S101  it matches nothing at all too
        yield found.span()
        if text[found.end() : found.end() + 1] != delimiter or found.end() >= end:
            return
        at = found.end() + 1


def _delimiter(text: str) -> str:
    try:
        return csv.Sniffer().sniff(text[:_SAMPLE], _DELIMITERS).delimiter
    except csv.Error:
        return ","


def _between(lit: Sequence[Piece], starts: Sequence[int], cell: Cell) -> list[Piece]:
    start, end = cell
    return list(lit[bisect.bisect_left(starts, start) : bisect.bisect_left(starts, end)])

"""An evaluation's tables as lines of text, as many decodings beside each other as fit."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from shutil import get_terminal_size

from rich.cells import cell_len

from flows.evaluation.result import Evaluation
from flows.evaluation.tables import Table, cell, tables
from flows.output import fit, safe

_PIPED_WIDTH = 10_000
_GAP = 2


def lines(evaluation: Evaluation) -> Iterator[str]:
    """All tables. Conditional rates are indented below the rates over all inputs."""
    names = [arm.decoding for arm in evaluation.arms]
    yield (
        f"{evaluation.schema}: {len(evaluation.inputs.items)} inputs x {evaluation.samples} samples, 95 % "
        f"intervals; ▲ better, ▼ worse, = not separated from {evaluation.baseline}"
    )
    for table in tables(evaluation):
        yield from ("", table.title)
        yield from grid(table_names(table), names, [[cell(row) for row in line.rows] for line in table.lines])
    yield ""


def table_names(table: Table) -> list[str]:
    """The first column of a table."""
    return [safe(line.name) for line in table.lines]


def grid(heads: Sequence[str], columns: Sequence[str], cells: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table as lines; columns that do not fit the terminal stand below in a table of their own."""
    first = max([*map(cell_len, heads), 0])
    widths = [
        max(cell_len(text) for text in (name, *(row[at] for row in cells))) for at, name in enumerate(columns)
    ]
    for at, to in _groups(widths, _width() - first):
        for head, row in zip(["", *heads], [columns, *cells], strict=True):
            told = [fit(text, width) for text, width in zip(row[at:to], widths[at:to], strict=True)]
            yield (" " * _GAP).join([fit(head, first), *told]).rstrip()


def _groups(widths: Sequence[int], room: int) -> Iterator[tuple[int, int]]:
    """Ranges of columns, each as wide as fits into `room` cells, at least one column."""
    start, used = 0, 0
    for at, width in enumerate(widths):
        if at > start and used + width + _GAP > room:
            yield start, at
            start, used = at, 0
        used += width + _GAP
    yield start, len(widths)


def _width() -> int:
    return get_terminal_size().columns if sys.stdout.isatty() else _PIPED_WIDTH

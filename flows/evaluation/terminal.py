"""Evaluations and comparisons as lines of text, as many columns beside each other as fit."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from shutil import get_terminal_size

from rich.cells import cell_len

from flows.evaluation.comparison import Comparison
from flows.evaluation.result import Evaluation, Row
from flows.evaluation.tables import PARTS, Table, cell, tables, word
from flows.output import fit, safe
from validators.statistics import FEW

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


def comparison_lines(found: Comparison) -> Iterator[str]:
    """The comparison as lines of text."""
    yield f"{found.second} against {found.first}, {found.inputs} shared inputs, 95 % intervals, paired"
    if found.inputs < FEW:
        yield f"only {found.inputs} inputs: the intervals are wide and themselves uncertain"
    if found.only_one:
        named = ", ".join(found.only_one[:3])
        yield f"{len(found.only_one)} documents are in one of them only, and left out: {named}"
    if not found.same_labels:
        yield "their labels differ"
    for pair in found.pairs:
        yield from ("", pair.first if pair.first == pair.second else f"{pair.second} against {pair.first}")
        yield from (f"  {one}" for one in pair.changed)
        both = [*pair.rows, *pair.costs]
        heads = [_name(first) for first, _ in both]
        cells = [[cell(first), cell(second), _difference(second)] for first, second in both]
        yield from grid(heads, ["first", "second", "difference"], cells)


def _name(row: Row) -> str:
    told = f"{row.field} {row.measure}" if row.field else word(row.measure)
    return f"  {told}, {PARTS[row.of]}" if row.of in PARTS else told


def _difference(row: Row) -> str:
    if row.difference is None or row.difference_low is None or row.difference_high is None:
        return "·"
    return f"{row.difference:+.3f} [{row.difference_low:+.3f}, {row.difference_high:+.3f}] {row.judgement}"


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

"""Completeness of lists: rows that the source seems to hold against rows that were extracted.

A table shows as a line shape that repeats: `W` for words, `D` for a date, `M` for an amount, whole numbers
left out, so that "4 Widget 12.50 50.00" is `WMM` whatever its quantity. The longest run of one shape, with
a few lines of description between its rows, is taken for the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from schemas.records import Category, FieldResult, Finding, Level, Severity
from validators.grounding.index import SourceIndex

FEWEST = 5
"""Rows of the smallest table that is believed without a row extracted from it, and of the smallest gap."""
FEW, LARGE = 3, 10
"""Fewer rows than FEW show no table's shape for sure, nor does a single amount, unless LARGE lines do."""
SHARE = 0.7
"""Fewer rows than this share of the source's are an error."""
GAP = 3
"""Lines between two rows of one table: descriptions that run on."""


def findings(instance: BaseModel, fields: Sequence[FieldResult], index: SourceIndex) -> Iterator[Finding]:
    """An error for each list of rows that is far shorter than the source's table."""
    names = [name for name, info in type(instance).model_fields.items() if _holds_rows(info.annotation)]
    for name in names:
        rows: list[Any] = getattr(instance, name) or []
        if rows or len(names) == 1:
            expected = _expected(f"/{name}/", len(rows), fields, index)
            if len(rows) < SHARE * expected and expected - len(rows) >= FEWEST:
                yield _short(name, len(rows), expected)


def _holds_rows(annotation: Any) -> bool:
    """Whether an annotation is a list of objects, null allowed."""
    if get_origin(annotation) is list:
        return any(isinstance(inner, type) and issubclass(inner, BaseModel) for inner in get_args(annotation))
    return any(map(_holds_rows, get_args(annotation)))


def _expected(prefix: str, rows: int, fields: Sequence[FieldResult], index: SourceIndex) -> int:
    """Rows that the source seems to hold of the list at `prefix`."""
    shapes = index.line_shapes
    spans = [field.span for field in fields if field.span and field.pointer.startswith(prefix)]
    if rows and spans:
        own = Counter(shapes[line] for line in {index.line_of(span) for span in spans}).most_common(1)[0][0]
        held = longest_run(shapes, own) if "M" in own else 0
        return held if held >= LARGE or (rows >= FEW and _tabular(own)) else 0
    if rows:
        return 0
    tables = {shape: longest_run(shapes, shape) for shape in set(shapes) if _tabular(shape)}
    best = max(tables.values(), default=0)
    return best if best >= FEWEST else 0


def _tabular(shape: str) -> bool:
    """Whether a shape is a table's row even with nothing extracted from it: two amounts, or a dated one."""
    return "M" in shape and (shape.count("M") >= 2 or "D" in shape)


def longest_run(shapes: Sequence[str], wanted: str) -> int:
    """Lines of one shape in the longest run of them that is broken by at most `GAP` other lines."""
    best = count = 0
    last = -GAP - 2
    for line, shape in enumerate(shapes):
        if shape == wanted:
            count = count + 1 if line - last <= GAP + 1 else 1
            last = line
            best = max(best, count)
    return best


def _short(name: str, rows: int, expected: int) -> Finding:
    return Finding(
        level=Level.CONSISTENCY,
        rule="consistency.incomplete_list",
        severity=Severity.ERROR,
        message=f"/{name} has {rows} rows, and the document seems to hold {expected}",
        pointer=f"/{name}",
        category=Category.INCOMPLETE_LIST,
        expected=str(expected),
        found=str(rows),
    )

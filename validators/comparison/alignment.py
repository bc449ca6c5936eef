"""Which item of an answer's list is which item of its label's: by content, whatever the order.

The assignment with the greatest sum of likenesses is taken (`scipy.optimize.linear_sum_assignment`); items
that agree in less than a third stay alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from schemas import compare
from schemas.shape import Array, Scalar
from validators.comparison.likeness import Matrix, alike

Pair: TypeAlias = tuple[int | None, int | None]


def align(node: Array, found: Sequence[Any], expected: Sequence[Any]) -> list[Pair]:
    """Pairs (index in the answer, index in the label): the label's items in order, then what is left over.

    Items are values or nested mappings of values. One without a partner is paired with None.
    """
    likeness = alike(node.item, found, expected)
    ordered = compare.parse(_declared(node)).list_rule == "ordered"
    partner = dict(_in_order(likeness) if ordered else _assigned(likeness))
    taken = set(partner.values())
    rest = [index for index in range(len(found)) if index not in taken]
    return [(partner.get(index), index) for index in range(len(expected))] + [(index, None) for index in rest]


def _declared(node: Array) -> str | None:
    return node.item.mark.compare if isinstance(node.item, Scalar) else node.mark.compare


def _assigned(likeness: Matrix) -> Iterator[tuple[int, int]]:
    """(label's index, answer's index). Of equal assignments the one nearest to the printed order."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = likeness.shape
    away = np.abs(np.subtract.outer(np.arange(rows), np.arange(columns)))
    for row, column in zip(*linear_sum_assignment(likeness - 1e-9 * away, maximize=True), strict=True):
        if likeness[row, column] > 0:
            yield int(column), int(row)


def _in_order(likeness: Matrix) -> Iterator[tuple[int, int]]:
    """The best assignment that keeps the order: what stands in another place has no partner."""
    rows, columns = likeness.shape
    best = np.zeros((rows + 1, columns + 1))
    for row in range(1, rows + 1):
        paired = np.maximum(best[row - 1, 1:], best[row - 1, :-1] + likeness[row - 1])
        best[row, 1:] = np.maximum.accumulate(paired)
    row, column = rows, columns
    while row and column:
        if best[row, column] == best[row - 1, column]:
            row -= 1
        elif best[row, column] == best[row, column - 1]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            yield column, row

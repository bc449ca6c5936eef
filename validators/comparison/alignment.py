"""Which item of an answer's list is which item of its label's: by content, whatever the order.

Two items are alike by the share of their values that are the same. The assignment with the greatest sum
is taken (`scipy.optimize.linear_sum_assignment`); items that agree in less than a third stay alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from schemas import compare
from schemas.marks import Kind
from schemas.shape import Array, Node, Object, Scalar
from validators.comparison.readings import AnyOf
from validators.comparison.rules import Rule, rule_of
from validators.grounding.folding import folded

Pair: TypeAlias = tuple[int | None, int | None]
Matrix: TypeAlias = NDArray[np.float64]
ALIKE = 1 / 3
"""The share of an item's values that must agree for it to be taken for the label's."""
TEXT_ALIKE = 0.6
"""The similarity from which two texts count at all, and then by half: "Steel bolt" and "Steel bolts M8"."""
_TEXTS = (Kind.TEXT, Kind.LONG_TEXT, Kind.IDENTIFIER)


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


def alike(node: Node, found: Sequence[Any], expected: Sequence[Any]) -> Matrix:
    """How alike each item of the answer (rows) is to each of the label (columns), 0 to 1."""
    total: Matrix = np.zeros((len(found), len(expected)))
    weight: Matrix = np.zeros((len(found), len(expected)))
    for leaf, path in _leaves(node, ()):
        ours, theirs = [_at(item, path) for item in found], [_at(item, path) for item in expected]
        total += _column(leaf, ours, theirs)
        # A value that either has can agree; one that the label does not have is nothing to go by.
        either = np.logical_or.outer([v is not None for v in ours], [v is not None for v in theirs])
        weight += either & np.array([_labelled(item, path) for item in expected], dtype=bool)
    likeness: Matrix = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
    likeness[likeness < ALIKE] = 0.0
    likeness[weight == 0] = ALIKE  # neither says anything: two empty rows are one another's
    return likeness


def _leaves(node: Node, path: tuple[str, ...]) -> Iterator[tuple[Scalar, tuple[str, ...]]]:
    """The values directly in an item. Lists within it do not say which item it is."""
    if isinstance(node, Object):
        for name, child in node.members:
            yield from _leaves(child, (*path, name))
    elif isinstance(node, Scalar) and not node.reasoning:
        yield node, path


def _at(item: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        item = item.get(name) if item is not None else None
    return item


def _labelled(item: Any, path: tuple[str, ...]) -> bool:
    """Whether the label speaks of this value, be it to say that there is none."""
    for name in path:
        if item is None or name not in item:
            return item is None
        item = item[name]
    return True


def _column(node: Scalar, found: list[Any], expected: list[Any]) -> Matrix:
    rule = rule_of(node)
    same = _near(rule, found, expected) if rule.tolerance is not None else _same(rule, found, expected)
    if node.kind in _TEXTS:
        same = np.maximum(same, _similar(found, expected))
    return same


def _same(rule: Rule, found: list[Any], expected: list[Any]) -> Matrix:
    """1 where two values have one key, found by key: a thousand rows against a thousand cost little."""
    places: dict[Any, list[int]] = defaultdict(list)
    for column, label in enumerate(expected):
        for one in label.values if isinstance(label, AnyOf) else (label,):
            if one is not None:
                places[rule.key(one)].append(column)
    matrix: Matrix = np.zeros((len(found), len(expected)))
    for row, value in enumerate(found):
        if value is not None:
            matrix[row, places.get(rule.key(value), [])] = 1.0
    return matrix


def _near(rule: Rule, found: list[Any], expected: list[Any]) -> Matrix:
    return np.array(
        [[float(v is not None and e is not None and rule.same(v, e)) for e in expected] for v in found]
    ).reshape(len(found), len(expected))


def _similar(found: list[Any], expected: list[Any]) -> Matrix:
    from rapidfuzz import fuzz, process

    ours = [folded(value) if value is not None else "" for value in found]
    theirs = [folded(str(_first(label))) if label is not None else "" for label in expected]
    scores = process.cdist(ours, theirs, scorer=fuzz.ratio, score_cutoff=100 * TEXT_ALIKE, dtype=np.float64)
    alike: Matrix = np.asarray(scores) / 200
    both = np.logical_and.outer([bool(text) for text in ours], [bool(text) for text in theirs])
    return np.where(both, alike, 0.0)


def _first(label: Any) -> Any:
    return label.values[0] if isinstance(label, AnyOf) else label


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

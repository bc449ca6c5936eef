"""How alike two items are: the share of their values that are the same, or nearly so in a text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from schemas.marks import Kind
from schemas.shape import Array, Node, Object, Scalar
from validators.comparison.readings import AnyOf
from validators.comparison.rules import Rule, rule_of
from validators.grounding.folding import folded

Matrix: TypeAlias = NDArray[np.float64]
Known: TypeAlias = NDArray[np.bool_]
Column: TypeAlias = tuple[Matrix, Known, Known, tuple[str, ...]]
"""One value of all items: where it is the same, which of ours and of the label's have it, and its path."""
ALIKE = 1 / 3
"""The share of an item's values that must agree for it to be taken for the label's."""
TEXT_ALIKE = 0.6
"""The similarity from which two texts count at all, and then by half: "Steel bolt" and "Steel bolts M8"."""
_TEXTS = (Kind.TEXT, Kind.LONG_TEXT, Kind.IDENTIFIER)


def alike(node: Node, found: Sequence[Any], expected: Sequence[Any]) -> Matrix:
    """How alike each item of the answer (rows) is to each of the label (columns), 0 to 1."""
    total: Matrix = np.zeros((len(found), len(expected)))
    weight: Matrix = np.zeros((len(found), len(expected)))
    for same, ours, theirs, path in _columns(node, found, expected):
        total += same
        # A value that either has can agree; one that the label does not have is nothing to go by.
        labelled = np.array([_labelled(item, path) for item in expected], dtype=bool)
        weight += np.logical_or.outer(ours, theirs) & labelled
    likeness: Matrix = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
    likeness[likeness < ALIKE] = 0.0
    likeness[weight == 0] = ALIKE  # neither says anything: two empty rows are one another's
    return likeness


def _columns(node: Node, found: Sequence[Any], expected: Sequence[Any]) -> Iterator[Column]:
    for leaf, path in _leaves(node, ()):
        ours, theirs = ([_at(item, path) for item in side] for side in (found, expected))
        yield _column(leaf, ours, theirs), _known(ours), _known(theirs), path
    for items, path in _lists(node, ()):
        bags, wanted = ([_bag(items, _at(item, path)) for item in side] for side in (found, expected))
        yield _shared(bags, wanted), _known(bags), _known(wanted), path


def _known(values: Sequence[Any]) -> Known:
    """Which of the values are there: no null, no empty list."""
    return np.array([value is not None and value != set() for value in values], dtype=bool)


def _leaves(node: Node, path: tuple[str, ...]) -> Iterator[tuple[Scalar, tuple[str, ...]]]:
    """The values directly in an item."""
    if isinstance(node, Object):
        for name, child in node.members:
            yield from _leaves(child, (*path, name))
    elif isinstance(node, Scalar) and not node.reasoning:
        yield node, path


def _lists(node: Node, path: tuple[str, ...]) -> Iterator[tuple[Node, tuple[str, ...]]]:
    """The lists within an item: what their items are, and where."""
    if isinstance(node, Object):
        for name, child in node.members:
            yield from _lists(child, (*path, name))
    elif isinstance(node, Array):
        yield node.item, path


def _bag(node: Node, items: list[Any] | None) -> set[Any]:
    """All values in a list within an item, as keys, each with its place in its own item."""
    bag: set[Any] = set()
    for item in items or []:
        for leaf, path in _leaves(node, ()):
            if (value := _first(_at(item, path))) is not None:
                bag.add((path, rule_of(leaf).key(value)))
        for inner, path in _lists(node, ()):
            bag |= {(path, one) for one in _bag(inner, _at(item, path))}
    return bag


def _shared(found: list[set[Any]], expected: list[set[Any]]) -> Matrix:
    """The share of keys that two bags have in common, of the larger one's."""
    places: dict[Any, list[int]] = defaultdict(list)
    for column, bag in enumerate(expected):
        for key in bag:
            places[key].append(column)
    matrix: Matrix = np.zeros((len(found), len(expected)))
    for row, bag in enumerate(found):
        for key in bag:
            matrix[row, places.get(key, [])] += 1.0
    larger = np.maximum.outer([len(bag) for bag in found], [len(bag) for bag in expected])
    share: Matrix = matrix / np.maximum(larger, 1)
    return share


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

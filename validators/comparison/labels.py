"""A label's fields, as printed or normalised, read by the schema: strings become days, decimals, choices.

A field that the label does not have is not scored; one that is null (or an empty text) says that there is
nothing. `AnyOf` holds what can be read in more than one way, and a list that is given for a single value.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from schemas.contract import ExtractionSchema
from schemas.marks import Kind
from schemas.shape import Array, Node, Object, Scalar
from validators import syntax
from validators.comparison.readings import AnyOf, UnreadableLabel, date_mentions, number_mentions, read
from validators.grounding.month_names import date_order
from validators.grounding.number_lookup import decimal_mark

AGREED = 0.9
"""Share of a field's unmistakable labels that decides how the others are read."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """One value of a label that cannot be used, by its pointer, and why."""

    pointer: str
    reason: str


def unknown_fields(schema: type[ExtractionSchema], fields: Mapping[str, Any]) -> list[str]:
    """The pointers of a label's fields that the schema lacks; a list's items stand at `/*`."""
    return list(dict.fromkeys(_unknown(Object(schema), fields, "")))


def _unknown(node: Node, label: Any, pointer: str) -> Iterator[str]:
    """The label is taken apart as the reader does it: a cell's JSON is what it holds, one item is a list."""
    if isinstance(label, str) and not isinstance(node, Scalar):
        label = held(label)
    if isinstance(node, Array):
        for item in label if isinstance(label, list) else [label]:
            yield from _unknown(node.item, item, f"{pointer}/*")
    elif isinstance(node, Object) and isinstance(label, Mapping):
        members = dict(node.members)
        for name, value in label.items():
            if name in members:
                yield from _unknown(members[name], value, f"{pointer}/{name}")
            else:
                yield f"{pointer}/{name}"


def conventions(
    schema: type[ExtractionSchema], labels: Iterable[Mapping[str, Any]], locale: str | None = None
) -> dict[str, str]:
    """How each field's ambiguous dates (`dmy`, `mdy`) and numbers (`.`, `,` before decimals) are read.

    A `locale` (`de_DE`) decides; without one nine in ten of the field's unmistakable labels do, else the
    field's or schema's own locale. A field for which nothing decides is left out.
    """
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    scalars: dict[str, Scalar] = {}
    for label in labels:
        for pointer, node, value in _printed(Object(schema), label, ""):
            scalars[pointer] = node
            votes[pointer].update(_votes(node, value))
    found = {
        pointer: _by_locale(node, locale)
        or _agreed(votes[pointer])
        or _by_locale(node, node.mark.locale or schema.locale)
        for pointer, node in scalars.items()
    }
    return {pointer: convention for pointer, convention in found.items() if convention}


def _printed(node: Node, label: Any, pointer: str) -> Iterator[tuple[str, Scalar, str]]:
    """Every text that stands for a date or number, with its field."""
    if isinstance(node, Object) and isinstance(label, Mapping):
        for name, child in node.members:
            yield from _printed(child, label.get(name), f"{pointer}/{name}")
    elif isinstance(label, list):
        item, where = (node.item, f"{pointer}/*") if isinstance(node, Array) else (node, pointer)
        for value in label:
            yield from _printed(item, value, where)
    elif isinstance(node, Scalar) and isinstance(label, str) and node.kind in (Kind.DATE, Kind.NUMBER):
        yield pointer, node, label


def _votes(node: Scalar, label: str) -> Iterator[str]:
    if node.kind is Kind.DATE:
        for date in date_mentions(label):
            orders = {order for order, _ in date.readings}
            if len(date.readings) == 1 and orders <= {"dmy", "mdy"}:
                yield from orders
        return
    for number in number_mentions(label):
        if len(number.keys) == 1 and number.mark in (".", ","):
            whole = "." not in number.keys[0] and label.count(number.mark) > 1
            yield ("," if number.mark == "." else ".") if whole else number.mark


def _agreed(votes: Counter[str]) -> str | None:
    (winner, count), *_ = [*votes.most_common(1), ("", 0)]
    return winner if count and count >= AGREED * votes.total() else None


def _by_locale(node: Scalar, locale: str | None) -> str | None:
    if locale is None:
        return None
    return date_order(locale) if node.kind is Kind.DATE else decimal_mark(locale)


class LabelReader:
    """Reads the labels of one schema under the conventions of their set."""

    def __init__(self, schema: type[ExtractionSchema], found: Mapping[str, str] | None = None) -> None:
        self._root = Object(schema)
        self._conventions = found or {}

    def read(self, fields: Mapping[str, Any]) -> tuple[dict[str, Any], list[Unusable]]:
        """The label's fields as values, and those that cannot be used, which are left out of it."""
        unusable: list[Unusable] = []
        return self._object(self._root, fields, "", "", unusable), unusable

    def _object(
        self, node: Object, label: Mapping[str, Any], pointer: str, field: str, bad: list[Unusable]
    ) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name, child in node.members:
            if name not in label or (isinstance(child, Scalar) and child.reasoning):
                continue
            here = f"{pointer}/{name}"
            try:
                values[name] = self._node(child, label[name], here, f"{field}/{name}", bad)
            except UnreadableLabel as error:
                bad.append(Unusable(here, str(error)))
        return values

    def _node(self, node: Node, label: Any, pointer: str, field: str, bad: list[Unusable]) -> Any:
        if label is None or (isinstance(label, str) and not label.strip()):
            return [] if isinstance(node, Array) else None
        if isinstance(node, Array):
            return self._array(node, label, pointer, field, bad)
        if isinstance(node, Object):
            label = _from_cell(label) if isinstance(label, str) else label
            if not isinstance(label, Mapping):
                raise UnreadableLabel("one value is given where the schema has an object")
            return self._object(node, label, pointer, field, bad)
        return self._scalar(node, label, field)

    def _array(self, node: Array, label: Any, pointer: str, field: str, bad: list[Unusable]) -> list[Any]:
        items = _from_cell(label) if isinstance(label, str) else label
        items = items if isinstance(items, list) else [items]
        return [
            self._node(node.item, item, f"{pointer}/{index}", f"{field}/*", bad)
            for index, item in enumerate(items)
        ]

    def _scalar(self, node: Scalar, label: Any, field: str) -> Any:
        convention = self._conventions.get(field)
        labels = label if isinstance(label, list) else [label]
        found = [_typed(node, value) for one in labels for value in read(node, one, convention)]
        values = tuple(dict.fromkeys(found))
        if not values:
            return None
        return values[0] if len(values) == 1 else AnyOf(values)


def _typed(node: Scalar, value: Any) -> Any:
    """An integer field's label as an integer where it is one; otherwise it can only be wrong."""
    return int(value) if node.type is int and value == value.to_integral_value() else value


def held(text: str) -> Any:
    """The list or object in a table's cell, else its text: also where the JSON is broken."""
    try:
        return _from_cell(text)
    except UnreadableLabel:
        return text


def _from_cell(text: str) -> Any:
    """The JSON in a table's cell, else its text: CSV has no lists and objects of its own."""
    if text.lstrip()[:1] not in ("[", "{"):
        return text
    value, misread = syntax.parse(text)
    if misread is not None:
        raise UnreadableLabel(f"the cell is no JSON: {misread.message}")
    return value

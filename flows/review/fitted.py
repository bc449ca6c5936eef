"""An answer as a person can put it right: every place that its schema has, and no other."""

from __future__ import annotations

from typing import Any

from schemas.contract import ExtractionSchema
from schemas.shape import Array, Node, Object, Scalar


def fitted(schema: type[ExtractionSchema], answer: dict[str, Any] | None) -> dict[str, Any]:
    """The values of an answer in the places of its schema.

    A member that is missing, or whose value has another shape, is null there; what has no place in the schema
    is left out. An answer of its schema stays as it is. None, where there was no JSON object, is all nulls.
    """
    found: dict[str, Any] = _fitted(Object(schema), answer or {})
    return found


def _fitted(node: Node, value: Any) -> Any:
    if isinstance(node, Scalar):
        return _leaf(node, value)
    if isinstance(node, Array):
        if isinstance(value, list):
            return [_fitted(node.item, one) for one in value]
        return None if node.nullable else []
    if not isinstance(value, dict) and node.nullable:
        return None
    given = value if isinstance(value, dict) else {}
    return {name: _fitted(member, given.get(name)) for name, member in node.members}


def _leaf(node: Scalar, value: Any) -> Any:
    """The value; nobody corrects a reasoning, so one that does not fit may not stop all the rest."""
    if node.reasoning:
        return value[: node.bounds.max_length] if isinstance(value, str) else ""
    return None if isinstance(value, dict | list) else value

"""What stands at a place of an answer where nothing is known yet, and what has to be asked for there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from schemas.shape import Array, Node, Scalar


def unknown(node: Node, *, there: bool = False) -> Any:
    """Null wherever the schema allows it; a list has the fewest rows that it may have.

    With `there` the node itself is not null: an object of unknowns, not none. A scalar that may not be null
    is null all the same: `asked` names it.
    """
    if isinstance(node, Scalar) or (node.nullable and not there):
        return None
    if isinstance(node, Array):
        return [unknown(node.item) for _ in range(node.bounds.min_length or 0)]
    return {name: unknown(member) for name, member in node.members}


def asked(node: Node, pointer: str = "", *, there: bool = False) -> Iterator[tuple[str, Scalar]]:
    """The places in `unknown` that may not stay null, by their pointer below the node, and what they are."""
    if isinstance(node, Scalar):
        if not node.nullable:
            yield pointer, node
    elif node.nullable and not there:
        return
    elif isinstance(node, Array):
        for index in range(node.bounds.min_length or 0):
            yield from asked(node.item, f"{pointer}/{index}")
    else:
        for name, member in node.members:
            yield from asked(member, f"{pointer}/{name}")

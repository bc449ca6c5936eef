"""What a schema version promises, as one JSON object, and that object's hash.

The contract holds everything that changes an answer or what is said of it: the decoder's schema, the prompt's
texts, the marks on each field and the source of each consistency rule. Its fingerprint is part of a recipe.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from schemas.contract import ExtractionSchema, Row
from schemas.errors import SchemaError
from schemas.json_schema import decoder_schema
from schemas.rule_source import rule_source
from schemas.shape import Array, Node, Object, Scalar

RESERVED = frozenset({"instructions", "example", "locale", "findings", "consistency_rules"})


def contract(cls: type[ExtractionSchema]) -> dict[str, Any]:
    """Everything that a version promises, as plain JSON values. `SchemaError` where it is badly declared."""
    check_declarations(cls)
    return {
        "json_schema": decoder_schema(cls),
        "instructions": cls.instructions,
        "example": list(cls.example) if cls.example else None,
        "locale": cls.locale,
        "marks": dict(_marks(Object(cls), "")),
        "rules": dict(_rules(cls)),
    }


def check_declarations(cls: type[ExtractionSchema]) -> None:
    """Raise `SchemaError` where a class variable has a wrong type or a field bears its name."""
    taken = sorted(RESERVED & cls.model_fields.keys())
    if taken:
        raise SchemaError(f"{cls.__name__}.{taken[0]} is a name that every schema needs for itself.")
    if not isinstance(cls.instructions, str) or not isinstance(cls.locale, str | None):
        raise SchemaError(f"{cls.__name__}: instructions must be a string, and locale a string or None.")
    if cls.example is not None and not _is_example(cls.example):
        raise SchemaError(f"{cls.__name__}.example must be a document's text and a dict with its answer.")


def _is_example(example: Any) -> bool:
    return (
        isinstance(example, tuple)
        and len(example) == 2
        and isinstance(example[0], str)
        and isinstance(example[1], Mapping)
    )


def fingerprint(cls: type[ExtractionSchema]) -> str:
    """SHA-256 of the contract, 64 hexadecimal digits."""
    return hashlib.sha256(canonical(contract(cls)).encode()).hexdigest()


def canonical(value: Any) -> str:
    """Compact JSON that keeps the order of keys: the order of fields is part of what the model is shown."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def nested(node: Node) -> Iterator[type[BaseModel]]:
    """Every model class below a node, each once, in the order of the fields."""
    seen: dict[type[BaseModel], None] = {}
    for _, found in walk(node):
        if isinstance(found, Object):
            seen[found.cls] = None
    yield from seen


def walk(node: Node, pointer: str = "") -> Iterator[tuple[str, Node]]:
    """A node and all below it with their pointers; a list's items stand at `/*`."""
    yield pointer, node
    if isinstance(node, Object):
        for name, child in node.members:
            yield from walk(child, f"{pointer}/{name}")
    elif isinstance(node, Array):
        yield from walk(node.item, f"{pointer}/*")


def _marks(node: Node, pointer: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for where, found in walk(node, pointer):
        if isinstance(found, Scalar):
            yield where, {name: value for name, value in _mark(found).items() if value}
        elif isinstance(found, Array) and isinstance(found.item, Object) and found.mark.compare:
            yield where, {"compare": found.mark.compare}


def _mark(node: Scalar) -> dict[str, Any]:
    """The marks, and the declared bounds that the decoder's schema cannot say (a decimal's minimum)."""
    mark, bounds = node.mark, node.bounds
    limits = {name: getattr(bounds, name) for name in ("ge", "le", "gt", "lt")}
    return {
        "kind": node.kind.value,
        "derived": node.derived,
        "evidence": mark.evidence,
        "synonyms": {value: list(names) for value, names in mark.synonyms.items()},
        "scale": None if mark.scale is None else str(mark.scale),
        "compare": mark.compare,
        "locale": mark.locale,
        "limits": {name: str(value) for name, value in limits.items() if value is not None},
    }


def _rules(cls: type[ExtractionSchema]) -> Iterator[tuple[str, str]]:
    for model in nested(Object(cls)):
        if issubclass(model, Row):
            for rule in model.consistency_rules():
                name: str = rule.consistency_rule  # type: ignore[attr-defined]
                yield f"{model.__name__}.{name}", rule_source(rule)

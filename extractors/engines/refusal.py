"""Why a backend refuses a schema: the keyword that it stumbles over, and the backends that would take it.

Found by trying, not from a table: a keyword is to blame if the backend takes the schema without it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from extractors.backends.compiling import BACKENDS, Compiler, compiler, refuse_as_vllm
from extractors.backends.experiment import holds
from extractors.backends.vocabulary import Vocabulary
from schemas.decoding import Backend
from schemas.errors import EngineRefusedSchema

# Where a schema holds names of a user's own instead of keywords.
_NAMES = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
# What gives a schema its shape: without it hardly anything is left to refuse.
_SHAPE = frozenset({"properties", "items", "$defs", "definitions", "type"})
# Values, not schemas: nothing in them is a keyword.
_VALUES = frozenset({"enum", "const", "default", "examples", "required"})


def refused(json_schema: str, backend: Backend, reason: str) -> EngineRefusedSchema:
    """The error to raise for a schema that `backend` refused with `reason`. Imports vLLM."""
    schema = json.loads(json_schema)

    def taken(one: Mapping[str, Any]) -> bool:
        return refusal(json.dumps(one), backend) is None

    keyword = blamed(schema, taken)
    about = f"the keyword {keyword}" if keyword else "the schema"
    advice = _advice(json_schema, _part(schema, taken))
    return EngineRefusedSchema(f"{backend} cannot enforce {about} ({_first_line(reason)}): {advice}")


def _advice(json_schema: str, part: dict[str, Any]) -> str:
    """Who takes the schema, told apart by whether they hold to what was refused, found by trying."""
    takers = [other for other in BACKENDS if refusal(json_schema, other) is None]
    if not takers:
        return "no backend takes it"
    holding = [other for other in takers if holds(part, other)]
    if holding:
        return f"{' or '.join(holding)} would take it"
    named = takers[0]
    return f"{' or '.join(takers)} would take it and not hold to it (`assay schemas lint --backend {named}`)"


def _part(schema: dict[str, Any], taken: Callable[[Mapping[str, Any]], bool]) -> dict[str, Any]:
    """The part of the schema that holds the keyword to blame; all of it where that is not one place."""
    for pointer in _keywords(schema, ()):
        if taken(_without(schema, pointer)):
            part: Any = schema
            for step in pointer[:-1]:
                part = part[int(step)] if isinstance(part, list) else part[step]
            return part  # type: ignore[no-any-return]
    return schema


def refusal(json_schema: str, backend: Backend) -> str | None:
    """The reason for which a request with this schema would be turned away; None where it would not."""
    try:
        refuse_as_vllm(backend, json_schema)
        if backend == "guidance":
            _guidance().compile_schema(json_schema)
    except EngineRefusedSchema as error:
        return str(error)
    return None


@cache
def _guidance() -> Compiler:
    """Over plain bytes: whether a schema is refused does not hang on the model's tokens."""
    return compiler("guidance", Vocabulary.of_bytes())


def blamed(schema: Mapping[str, Any], taken: Callable[[Mapping[str, Any]], bool]) -> str | None:
    """The first keyword without which the schema is taken, and its place; else a name dropped everywhere."""
    for pointer in _keywords(schema, ()):
        if taken(_without(schema, pointer)):
            return f"`{pointer[-1]}` at /{'/'.join(pointer[:-1])}" if pointer[:-1] else f"`{pointer[-1]}`"
    names = dict.fromkeys(pointer[-1] for pointer in _keywords(schema, ()))
    return next((f"`{name}`" for name in names if taken(_stripped(schema, name))), None)


def _keywords(node: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The place of every keyword, inner ones first: the smallest part that can go is the one to blame."""
    named = bool(path) and path[-1] in _NAMES
    for key, value in _members(node):
        if key not in _VALUES or named:
            yield from _keywords(value, (*path, key))
        if isinstance(node, Mapping) and not named and key not in _SHAPE:
            yield (*path, key)


def _members(node: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(node, Mapping):
        yield from node.items()
    elif isinstance(node, list):
        yield from ((str(i), value) for i, value in enumerate(node))


def _without(node: Any, path: tuple[str, ...]) -> Any:
    """A copy in which the keyword at `path` is missing."""
    here, rest = path[0], path[1:]
    if isinstance(node, list):
        return [_without(value, rest) if str(i) == here else value for i, value in enumerate(node)]
    if not rest:
        return {key: value for key, value in node.items() if key != here}
    return {key: _without(value, rest) if key == here else value for key, value in node.items()}


def _stripped(node: Any, name: str) -> Any:
    """A copy in which a keyword is missing everywhere."""
    for path in [one for one in _keywords(node, ()) if one[-1] == name]:
        node = _without(node, path)
    return node


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:300]

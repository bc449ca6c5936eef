"""A question of our own with its parameters, and the same question as a person can run it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warehouse.asking import Questions

_NAME = re.compile(r"\$([a-z_]+)")
# What is written by its number: controls, surrogates, and marks that reorder or hide the text around them.
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]")


@dataclass(frozen=True, slots=True)
class Filter:
    """What rows are filtered by: each field of it is a parameter, and None takes all."""

    @property
    def given(self) -> dict[str, str]:
        """What is asked for, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class Asked:
    """SQL of ours, in which `$name` stands for a parameter; no `$` stands in it otherwise."""

    sql: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The question with its parameters as literals: what `assay sql` gives the same answer to."""
        return _NAME.sub(lambda found: literal(self.parameters[found[1]]), self.sql).strip()

    def rows(self, ask: Questions) -> list[dict[str, Any]]:
        """The answer. Raises WarehouseError with the database's message."""
        return ask.rows(self.sql, self.parameters)


def literal(value: Any) -> str:
    """A text, number, truth, null, or list of them as DuckDB's SQL writes it. Raises TypeError for others."""
    if value is None:
        return "NULL"
    if isinstance(value, bool | int | float):
        return str(value).lower()
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Sequence):
        return f"[{', '.join(map(literal, value))}]"
    raise TypeError(f"a {type(value).__name__} has no literal here")


def _text(value: str) -> str:
    """A string literal, as standard SQL quotes it; what cannot be seen becomes `chr(NUMBER)`."""
    parts = list(_parts(value)) or ["''"]
    return parts[0] if len(parts) == 1 else f"({' || '.join(parts)})"


def _parts(value: str) -> Iterator[str]:
    start = 0
    for found in _UNSEEN.finditer(value):
        if found.start() > start:
            yield _quoted(value[start : found.start()])
        yield f"chr({ord(found[0])})"
        start = found.end()
    if start < len(value):
        yield _quoted(value[start:])


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"

"""A label and a set of them, as read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Label:
    """What is known to be true of one document.

    `reference` is a path below the set's base, an absolute path, a URL, an identity (SHA-256) or, where
    the document's text stands in the row, the row's id. `fields` are the values (`LabelReader.read`);
    `printed` is the row's fields as JSON text. Documents of one `cluster` are resampled together.
    """

    reference: str
    line: int
    fields: Mapping[str, Any]
    printed: str
    cluster: str
    document_id: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """A row, or a value of one, that could not be used. `line` counts from 1; `reference` may be empty."""

    line: int
    reference: str
    reason: str


@dataclass(frozen=True, slots=True)
class Labels:
    """A set of labels. `base` is the folder that references are relative to.

    `conventions` says how a field's ambiguous dates and numbers were read; `ambiguous` counts the values that
    are still accepted under more than one reading.
    """

    path: str
    base: str
    rows: tuple[Label, ...]
    problems: tuple[Problem, ...] = ()
    conventions: Mapping[str, str] = field(default_factory=dict)
    ambiguous: int = 0

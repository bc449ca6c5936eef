"""A typed view for each schema version (`receipt_v1`), and one for the current answers (`receipt`).

`receipt_v1` has a row for every valid answer under `receipt@1`, whatever run it came from; `receipt` has one
row a document: its current answer under the newest version. Names come from people: each is checked, then
quoted; nothing else of a schema reaches the SQL.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from schemas.errors import SchemaError

if TYPE_CHECKING:
    from pydantic import BaseModel

# What each typed view tells about an answer, before the answer itself.
_ABOUT = (
    "document_id", "run_id", "recipe_id", "schema", "status", "category", "attempt_id", "finished_at",
    "is_current",
)  # fmt: skip
_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
_VERSIONED = re.compile(r".*_v[0-9]+")
_OURS = re.compile(r"CREATE (?:OR REPLACE )?(?:TABLE|VIEW|MACRO)(?: IF NOT EXISTS)? (\w+)")


class SchemaVersion(Protocol):
    """What is needed of a registered schema version."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def ref(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def cls(self) -> type[BaseModel]: ...


def identifier(name: str) -> str:
    """`name` quoted for SQL. Raises SchemaError for one that no identifier can hold."""
    if not name or "\0" in name:
        raise SchemaError(f"{name!r} cannot be the name of a column.")
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def literal(text: str) -> str:
    """`text` as an SQL string."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def check_name(name: str) -> None:
    """Refuse a schema name that cannot name a view beside ours. Raises SchemaError."""
    if not _NAME.fullmatch(name):
        raise SchemaError(f"schema name {name!r}: at most 63 small letters, digits and _, a letter first.")
    if _VERSIONED.fullmatch(name):
        raise SchemaError(f"schema name {name!r} reads like a version's view. Leave out the _v and number.")
    if name in _reserved():
        raise SchemaError(f"schema name {name!r} is a table or view of the warehouse. Choose another.")


def versioned_view(version: SchemaVersion) -> str:
    """The SQL of a version's view: columns about the answer, then its own as they stand now, typed."""
    return typed_view(version.ref, shape_of(version))


def typed_view(ref: str, shape: str) -> str:
    """The same by the version's reference and the shape of its answers."""
    return f"CREATE OR REPLACE VIEW {identifier(view_name(ref))} AS\n{answers(ref, shape, 'outcomes')}"


def kept_view(ref: str, table: str) -> str:
    """The same view over the table that holds its answers."""
    return f"CREATE OR REPLACE VIEW {identifier(view_name(ref))} AS FROM {table}"


def shape_of(version: SchemaVersion) -> str:
    """What DuckDB's `json_transform` makes of the version's answers, as JSON."""
    from warehouse.sqltypes import columns  # loads Pydantic, which landing does not need

    return json.dumps(columns(version.cls), ensure_ascii=False)


def answers(ref: str, shape: str, source: str) -> str:
    """The SELECT of a version's valid answers from `source`, which has the columns of `extractions`."""
    names = list(json.loads(shape))
    about = ", ".join(f"about.{name}" for name in _ABOUT)
    answer = "".join(
        f",\n    about.typed.{identifier(name)} AS {identifier(_column(name, names))}" for name in names
    )
    return f"""SELECT {about}{answer}
FROM (
    SELECT *, json_transform(value, {literal(shape)}) AS typed FROM {source}
    WHERE schema = {literal(ref)} AND status IN ('accepted', 'flagged') AND value IS NOT NULL
) AS about"""


def view_name(ref: str) -> str:
    """What the view of a version is called: `receipt_v1` for `receipt@1`."""
    name, _, version = ref.partition("@")
    return f"{name}_v{int(version)}"


def current_view(name: str, newest: int) -> str:
    """The SQL of a schema's current view, over its newest version."""
    return f"""CREATE OR REPLACE VIEW {identifier(name)} AS
SELECT * EXCLUDE (is_current) FROM {identifier(f"{name}_v{newest}")} WHERE is_current"""


def _column(name: str, fields: Collection[str]) -> str:
    """A field whose name is one of the columns about the answer gets a `_` behind it, more until free."""
    if name.casefold() not in _ABOUT:
        return name
    taken = {field.casefold() for field in fields}
    while name.casefold() in taken:
        name += "_"
    return name


@cache
def _reserved() -> frozenset[str]:
    here = Path(__file__).parent
    texts = [path.read_text(encoding="utf-8") for path in here.glob("*/*.sql")]
    return frozenset(name.lower() for text in texts for name in _OURS.findall(text)) | _INTERNAL


_INTERNAL = frozenset({"migrations", "view_texts", "fresh", "newest", "listed"})

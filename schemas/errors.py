"""The errors that Assay raises on purpose.

AssayError
├── UsageError            a person asked for something that cannot be done (exit 2)
│   ├── SchemaError       an unknown, changed or badly designed schema version
│   ├── SettingError      a wrong setting, named with its allowed values
│   ├── LabelError        a label file cannot be read, or names fields that the schema lacks
│   └── ReviewConflict    somebody else decided on the same document meanwhile
├── ReadError             a document gave no text; carries its category
├── EngineError           the engine gave no answer for this request
│   ├── EngineTimeout     … within the time limit (retryable)
│   ├── EngineUnavailable … because it is down or unreachable (retryable)
│   ├── EngineMismatch    … because it is not the engine that the recipe describes
│   └── EngineRefusedSchema … because its backend cannot enforce the schema
└── WarehouseError        the database or the archive cannot be used
    └── WarehouseLocked   … because another process holds it (retryable)

A vendor's exceptions are translated into these where they arise, and nowhere else.
"""

from __future__ import annotations

from schemas.records import Category


class AssayError(Exception):
    """Root of the tree. `str(error)` names the thing, the reason and what to do, on one line.

    `snippet` are the lines that show where, if that helps: a caret below a statement, a list of breaches.
    """

    retryable: bool = False

    def __init__(self, message: str, snippet: str = "") -> None:
        super().__init__(statement(message))
        self.snippet = snippet


def statement(text: str) -> str:
    """The same on one line: vendors break their messages into blocks of lines."""
    said = ""
    for line in filter(None, map(str.strip, text.splitlines())):
        said += ("" if not said else " " if said[-1] in ".!?:;," else "; ") + line
    return said


class UsageError(AssayError):
    """A person can put it right by asking differently."""


class SchemaError(UsageError):
    """A schema version is unknown, changed after its release, or breaks a design rule."""


class SettingError(UsageError):
    """A setting has a value that is not allowed."""


class LabelError(UsageError):
    """A label file cannot be read, or its fields are not the schema's."""


class ReviewConflict(UsageError):
    """Somebody else decided on the same extraction since it was looked at. Nothing was recorded."""


class ReadError(AssayError):
    """A document gave no text. `category` is one of the read categories."""

    def __init__(self, category: Category, message: str) -> None:
        super().__init__(message)
        self.category = category


class EngineError(AssayError):
    """The engine gave no answer for one request."""


class EngineTimeout(EngineError):
    """The engine gave no answer within the time limit."""

    retryable = True


class EngineUnavailable(EngineError):
    """The engine is down, unreachable or has died."""

    retryable = True


class EngineMismatch(EngineError):
    """A served engine is not the one that the recipe describes, or does not enforce what it is sent."""


class EngineRefusedSchema(EngineError):
    """The structured-output backend cannot enforce the schema."""


class WarehouseError(AssayError):
    """The database or the archive cannot be used as asked."""


class WarehouseLocked(WarehouseError):
    """Another process holds the database file."""

    retryable = True

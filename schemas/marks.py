"""What a schema says about a field beyond its type: marks, the bounded types, and `field()`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, StringConstraints
from pydantic.fields import FieldInfo

from schemas import compare as comparisons


class Kind(StrEnum):
    """How a leaf is read, compared and looked up in the source."""

    TEXT = "text"
    LONG_TEXT = "long_text"
    IDENTIFIER = "identifier"
    NUMBER = "number"
    DATE = "date"
    ENUM = "enum"
    BOOLEAN = "boolean"


@dataclass(frozen=True, slots=True)
class Mark:
    """One field's marks. `scale` is what the printed number is multiplied by ("in thousands": 1000).

    `synonyms` maps an enum value to the spellings by which a document may mean it. `compare` says how a value
    is compared with its label (`schemas.compare`), `locale` decides how a number or date is read, `evidence`
    says that the field quotes the source.
    """

    synonyms: Mapping[str, tuple[str, ...]] = dataclass_field(default_factory=dict)
    scale: Decimal | None = None
    compare: str | None = None
    locale: str | None = None
    evidence: bool = False


class Derived:
    """Marks a value that is computed or judged and not printed: `Annotated[int, Derived]`. Never grounded."""


class ReasoningMark:
    """Marks the field in which the model thinks before it answers. It is no answer and no leaf."""


class IdentifierMark:
    """Marks a string whose every character counts: numbers of invoices, IBANs, registration numbers."""


Reasoning = Annotated[str, StringConstraints(max_length=80), ReasoningMark()]
Text = Annotated[str, StringConstraints(min_length=1, max_length=120)]
LongText = Annotated[str, StringConstraints(min_length=1, max_length=240)]
Identifier = Annotated[str, StringConstraints(min_length=1, max_length=40), IdentifierMark()]
# At most 9 digits before the point: a longer run of digits is a card or phone number, not an amount.
Money = Annotated[Decimal, Field(max_digits=12, decimal_places=3)]
Quantity = Annotated[Decimal, Field(max_digits=12, decimal_places=4)]


def field(
    description: str | None = None,
    *,
    synonyms: Mapping[str, Sequence[str]] | None = None,
    scale: Decimal | int | None = None,
    compare: str | None = None,
    locale: str | None = None,
    evidence: bool = False,
    **constraints: Any,
) -> Any:
    """A required field, without default, with its marks. `constraints` go to `pydantic.Field`.

    Raises SchemaError for a `compare` that there is not (`schemas.compare`).
    """
    comparisons.parse(compare)
    info: FieldInfo = Field(description=description, **constraints)
    info.metadata.append(
        Mark(
            synonyms={value: tuple(names) for value, names in (synonyms or {}).items()},
            scale=None if scale is None else Decimal(scale),
            compare=compare,
            locale=locale,
            evidence=evidence,
        )
    )
    return info

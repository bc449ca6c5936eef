"""From what JSON holds to what Python holds, and nothing more: no guessing, no repair.

Decimals are taken from strings and integers as written. A float (from a JSON reader that was not told
`parse_float=Decimal`) is taken by its shortest decimal form, which for up to 15 digits is what was written.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Any

from pydantic_core import PydanticKnownError

from schemas.marks import Kind
from schemas.shape import Array, Node, Object, Scalar

ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
NUMERAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")


def from_json(node: Node, value: Any) -> Any:
    """`value` with dates, decimals and enum members made. Raises pydantic's own kinds of error."""
    if value is None or isinstance(node, Object):
        return value
    if isinstance(node, Array):
        return [from_json(node.item, item) for item in value] if isinstance(value, list) else value
    return _scalar(node, value)


def _scalar(node: Scalar, value: Any) -> Any:
    if node.kind is Kind.DATE:
        return _date(value)
    if node.type is Decimal:
        return _decimal(value)
    if node.kind is Kind.ENUM and isinstance(value, str) and value in node.choices:
        return node.type(value)
    return value


def _date(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if not ISO_DATE.fullmatch(value):
        raise PydanticKnownError("date_parsing", {"error": "not written YYYY-MM-DD"})
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise PydanticKnownError("date_parsing", {"error": str(error)}) from error


def _decimal(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
        raise PydanticKnownError("decimal_type")
    if isinstance(value, str) and not NUMERAL.fullmatch(value):
        raise PydanticKnownError("decimal_parsing")
    return value if isinstance(value, Decimal) else Decimal(str(value))

"""What the pages of figures share: a question with its answer, and where one is in a long list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from warehouse.asked import Asked
from warehouse.asking import Questions

PAGE = 50
"""Rows of a page."""


class Show(Protocol):
    """Fills in a template of the desk."""

    def __call__(self, name: str, request: Request, **values: Any) -> Response: ...


@dataclass(frozen=True, slots=True)
class Told:
    """A question's SQL, as a person can run it, and its answer."""

    sql: str
    rows: list[dict[str, Any]]

    @property
    def only(self) -> dict[str, Any]:
        """The one row of an answer that has one."""
        return self.rows[0]


def told(ask: Questions, asked: Asked) -> Told:
    """Ask a question. Raises WarehouseError."""
    return Told(asked.text, asked.rows(ask))


@dataclass(frozen=True, slots=True)
class Place:
    """A page of a list: its number from 1 on, and what its address asks for besides."""

    number: int
    query: Mapping[str, str]

    @property
    def skip(self) -> int:
        """Rows before it."""
        return PAGE * (self.number - 1)

    def link(self, number: int) -> str:
        """The address of another page of this list."""
        return f"?{urlencode({**self.query, 'page': number})}"


def place(request: Request) -> Place:
    """Where a request is; what is no number is the first page."""
    query = {name: value for name, value in request.query_params.items() if name != "page"}
    given = request.query_params.get("page", "")[:6]
    return Place(max(int(given), 1) if given.isascii() and given.isdecimal() else 1, query)


def given(request: Request, name: str) -> str | None:
    """What the address gives for a name, None where it is empty or not there."""
    return request.query_params.get(name) or None

"""Two runs side by side: how many documents changed in which way, which ones, and in which values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from flows.review.desk import Desk
from flows.review.showing import PAGE, Place, Show, Told, given, place, told
from schemas.errors import UsageError
from warehouse import differences
from warehouse.asking import Questions

EACH = 30
"""Values of one document that are listed."""


class Differences:
    """The routes."""

    def __init__(self, desk: Desk, show: Show) -> None:
        self._desk, self._show = desk, show

    def routes(self) -> list[Route]:
        """What this module answers."""
        return [Route("/differences", self.differences)]

    def differences(self, request: Request) -> Response:
        """From run `a` to run `b`; where they are not given, the last two of one schema version."""
        change, here = given(request, "change"), place(request)
        if change is not None and change not in differences.CHANGES:
            raise UsageError(f"a document is one of {', '.join(differences.CHANGES)}")
        with self._desk.warehouse.asking() as ask:
            ended = told(ask, differences.ended()).rows
            a, b = _two(given(request, "a"), given(request, "b"), ended)
            found = _compared(ask, a, b, change, here) if a and b else {}
        return self._show(
            "review_differences.html.j2",
            request,
            ended=ended,
            a=a,
            b=b,
            change=change,
            place=here,
            size=PAGE,
            each=EACH,
            **{"summary": None, "pairs": None, "leaves": None, "values": {}, **found},
        )


def _compared(ask: Questions, a: str, b: str, change: str | None, here: Place) -> dict[str, Any]:
    summary = told(ask, differences.summary(a, b))
    if change is None:
        return {"summary": summary}
    pairs = told(ask, differences.pairs(a, b, change, PAGE, here.skip))
    leaves = told(ask, differences.leaves(a, b, [row["document_id"] for row in pairs.rows]))
    return {"summary": summary, "pairs": pairs, "leaves": leaves, "values": _by_document(leaves)}


def _by_document(leaves: Told) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in leaves.rows:
        found.setdefault(row["document_id"], []).append(row)
    return found


def _two(a: str | None, b: str | None, ended: Sequence[Mapping[str, Any]]) -> tuple[str | None, str | None]:
    """The runs to compare: as given, else the newest, and the one before it of the same schema version."""
    b = b or (ended[0]["run_id"] if ended else None)
    schema = next((row["schema"] for row in ended if row["run_id"] == b), None)
    older = (row["run_id"] for row in ended if b and row["run_id"] < b and row["schema"] == schema)
    return a or next(older, None), b

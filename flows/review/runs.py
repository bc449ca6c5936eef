"""The desk's list of runs: how each ended, what it took, its pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from flows.review.desk import Desk
from flows.review.files import page_of_gate, page_of_run
from flows.review.showing import PAGE, Show, given, place, told
from warehouse import figures

STATUSES = ("accepted", "flagged", "rejected", "failed")
_WIDTH = 120.0  # of a bar, in SVG units


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a bar: a status, where it begins and how wide it is, in SVG units."""

    status: str
    x: float
    width: float


class Runs:
    """The routes."""

    def __init__(self, desk: Desk, show: Show) -> None:
        self._desk, self._show = desk, show

    def routes(self) -> list[Route]:
        """What this module answers."""
        return [Route("/runs", self.runs)]

    def runs(self, request: Request) -> Response:
        """The runs, the newest first, of one schema version or of all."""
        schema, here = given(request, "schema"), place(request)
        with self._desk.warehouse.asking() as ask:
            found = told(ask, figures.runs(schema, PAGE, here.skip))
            known = told(ask, figures.schemas())
        rows = [{**row, **self._pages(row), "before": _before(row, found.rows)} for row in found.rows]
        values = {"rows": rows, "sql": found.sql, "schema": schema, "known": known.rows, "place": here}
        return self._show("review_runs.html.j2", request, **values, size=PAGE, bar=bar, statuses=STATUSES)

    def _pages(self, row: Mapping[str, Any]) -> dict[str, str | None]:
        home = self._desk.warehouse.home
        return {"report": page_of_run(home, row["run_id"]), "gate": page_of_gate(home, row["run_id"])}


def bar(row: Mapping[str, Any]) -> list[Part]:
    """How a run's documents ended, as pieces of one bar."""
    parts: list[Part] = []
    for status in STATUSES:
        x = parts[-1].x + parts[-1].width if parts else 0.0
        parts.append(Part(status, x, _WIDTH * row[status] / row["documents"] if row["documents"] else 0.0))
    return parts


def _before(row: Mapping[str, Any], rows: list[dict[str, Any]]) -> str | None:
    """The run of the same schema version that stands before one, as far as the page holds it."""
    older = (one for one in rows if one["run_id"] < row["run_id"] and one["schema"] == row["schema"])
    return next((str(one["run_id"]) for one in older), None)

"""The desk's list of runs: how each ended, what it took, its pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from flows.bars import bar
from flows.review.desk import Desk
from flows.review.files import page_of_gate, page_of_run
from flows.review.showing import PAGE, Show, given, place, told
from schemas.records import Status
from warehouse import figures

STATUSES = tuple(map(str, Status))
_WIDTH = 90.0  # of a bar, in SVG units


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
        rows = [{**row, **self._more(row), "before": _before(row, found.rows)} for row in found.rows]
        values = {"rows": rows, "sql": found.sql, "schema": schema, "known": known.rows, "place": here}
        return self._show("review_runs.html.j2", request, **values, size=PAGE, statuses=STATUSES)

    def _more(self, row: Mapping[str, Any]) -> dict[str, Any]:
        home, run = self._desk.warehouse.home, row["run_id"]
        return {
            "report": page_of_run(home, run),
            "gate": page_of_gate(home, run),
            "parts": bar({status: row[status] for status in STATUSES}, _WIDTH),
        }


def _before(row: Mapping[str, Any], rows: list[dict[str, Any]]) -> str | None:
    """The run of the same schema version that stands before one, as far as the page holds it."""
    older = (one for one in rows if one["run_id"] < row["run_id"] and one["schema"] == row["schema"])
    return next((str(one["run_id"]) for one in older), None)

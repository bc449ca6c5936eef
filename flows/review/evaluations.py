"""The evaluations: how often each decoding was right, field by field, and on which documents it was not."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from flows.review.desk import Desk
from flows.review.files import page_of_evaluation
from flows.review.showing import PAGE, Show, Told, place, told
from schemas.errors import UsageError
from warehouse import evaluated

Rates = dict[tuple[str, str], dict[str, dict[str, Any]]]
"""By field and measure (the empty field is the whole answer): decoding to its row."""


class Evaluations:
    """The routes."""

    def __init__(self, desk: Desk, show: Show) -> None:
        self._desk, self._show = desk, show

    def routes(self) -> list[Route]:
        """What this module answers."""
        return [
            Route("/evaluations", self.listed),
            Route("/evaluations/{evaluation}", self.one),
            Route("/evaluations/{evaluation}/inputs", self.inputs),
        ]

    def listed(self, request: Request) -> Response:
        """All evaluations, the newest first."""
        with self._desk.warehouse.asking() as ask:
            found = told(ask, evaluated.listed())
        return self._show("review_evaluations.html.j2", request, found=found, page=self._page)

    def one(self, request: Request) -> Response:
        """One evaluation's rates over all inputs."""
        evaluation = request.path_params["evaluation"]
        with self._desk.warehouse.asking() as ask:
            order = told(ask, evaluated.order(evaluation))
            found = told(ask, evaluated.rates(evaluation))
        if not order.rows:
            raise UsageError("there is no such evaluation")
        decodings = sorted({row["decoding"] for row in found.rows})
        values = {"order": order.only, "sql": found.sql, "rates": rates(found), "decodings": decodings}
        return self._show("review_evaluation.html.j2", request, **values, page=self._page(evaluation))

    def inputs(self, request: Request) -> Response:
        """The inputs of one rate, those that had it least first."""
        evaluation, here = request.path_params["evaluation"], place(request)
        which = {name: request.query_params.get(name, "") for name in ("decoding", "measure", "field")}
        with self._desk.warehouse.asking() as ask:
            rate = told(ask, evaluated.rate(evaluation, **which))
            if rate.only["value"] is None:
                raise UsageError("there is no such rate")
            found = told(ask, evaluated.inputs(evaluation, **which, most=PAGE, skip=here.skip))
        values = {"evaluation": evaluation, **which}
        return self._show(
            "review_inputs.html.j2", request, **values, rate=rate, found=found, place=here, size=PAGE
        )

    def _page(self, evaluation: str) -> str | None:
        return page_of_evaluation(self._desk.warehouse.home, evaluation)


def rates(found: Told) -> Rates:
    """The rates as a table: whole answers first, then each field."""
    table: Rates = {}
    for row in found.rows:
        table.setdefault((row["field"], row["measure"]), {})[row["decoding"]] = row
    return table

"""The documents behind a figure: how many, which ones, and the SQL of both."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from flows.review.desk import Desk
from flows.review.showing import PAGE, Show, place, told
from warehouse import figures
from warehouse.figures import SOUGHT, Sought


class Outcomes:
    """The routes."""

    def __init__(self, desk: Desk, show: Show) -> None:
        self._desk, self._show = desk, show

    def routes(self) -> list[Route]:
        """What this module answers."""
        return [Route("/documents", self.documents)]

    def documents(self, request: Request) -> Response:
        """The extractions that the address asks for."""
        sought, here = wanted(request), place(request)
        with self._desk.warehouse.asking() as ask:
            count = told(ask, figures.count(sought))
            found = told(ask, figures.documents(sought, PAGE, here.skip))
        values = {"count": count, "found": found, "sought": sought.given, "place": here, "size": PAGE}
        return self._show("review_outcomes.html.j2", request, **values)


def wanted(request: Request) -> Sought:
    """What the address asks for; an empty value counts, for it names a whole answer or no category."""
    params = request.query_params
    return Sought(**{name: params[name] for name in SOUGHT if name in params})

"""The routes of one attempt: the token player, and the computing of what was not landed for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from flows.output import safe
from flows.review.computing import Computing
from flows.review.desk import Desk
from schemas.errors import UsageError

Show = Callable[..., Response]
"""Fills in a template: its name, the request, the values."""
ReadForm = Callable[[Request], Awaitable[dict[str, Any]]]
"""The fields of a form that is ours. Raises UsageError for others."""


class AttemptPages:
    """The routes, over one desk."""

    def __init__(self, desk: Desk, computing: Computing, show: Show, form: ReadForm) -> None:
        self._desk, self._computing, self._show, self._form = desk, computing, show, form

    def attempt(self, request: Request) -> Response:
        """One attempt, token by token."""
        from flows.review.player import by_mass, by_surprise, likeliest, played, quoted, share

        found = played(self._desk.warehouse, self._desk.model, request.path_params["attempt"])
        attempt_id = found.landed.attempt_id
        return self._show(
            "review_attempt.html.j2",
            request,
            played=found,
            computable=self._desk.model is not None and not self._desk.read_only,
            computing=self._computing.runs(attempt_id),
            failure=self._computing.failure(attempt_id),
            by_mass=by_mass,
            by_surprise=by_surprise,
            likeliest=likeliest,
            quoted=quoted,
            share=share,
        )

    async def compute(self, request: Request) -> Response:
        """Begin to compute an attempt's probabilities, and go back to it."""
        await self._form(request)
        attempt_id = await run_in_threadpool(self._begun, request)
        return RedirectResponse(f"/attempt/{attempt_id}", status_code=303)

    def state(self, request: Request) -> Response:
        """Whether they are being computed, and what went wrong, as JSON."""
        attempt_id = request.path_params["attempt"]
        failure = self._computing.failure(attempt_id)
        return JSONResponse(
            {"computing": self._computing.runs(attempt_id), "failure": safe(failure) if failure else None}
        )

    def _begun(self, request: Request) -> str:
        from flows.review.player import found

        if self._desk.read_only or self._desk.model is None:
            raise UsageError("this desk cannot compute: it is for looking only, or has no model")
        row = found(self._desk.warehouse, request.path_params["attempt"])
        self._computing.start(row["attempt_id"])
        return str(row["attempt_id"])

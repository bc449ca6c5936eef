"""The desk's pages: the queue, one document, and what a person decides on it."""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import PurePath
from typing import Any
from urllib.parse import parse_qs, urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from flows.output import safe
from flows.pages import template, text_of
from flows.review.attempt_pages import AttemptPages
from flows.review.changes import KINDS, Change
from flows.review.computing import Computing
from flows.review.desk import Case, Desk
from flows.review.differences import Differences
from flows.review.document import LONGEST, cards, elsewhere, pieces
from flows.review.evaluations import Evaluations
from flows.review.failures import Failures
from flows.review.files import Files
from flows.review.guard import Access, Guard
from flows.review.original import Originals
from flows.review.original_pages import OriginalPages
from flows.review.outcomes import Outcomes
from flows.review.places import next_anchor, places
from flows.review.runs import Runs
from schemas.errors import AssayError, ReviewConflict, UsageError, WarehouseLocked
from warehouse.waiting import Wanted

PAGE = 50
MOST_FORM = 1_000_000
"""Bytes of a form that are read."""
MOST_FIELDS = 200
_FILTERS = ("schema", "category", "field", "run")
_KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_STATIC = ("review.css", "original.css", "review.js", "original.js", "player.js", "copy.js", "icon.svg")
_FIGURES = (Runs, Failures, Outcomes, Differences, Evaluations)


def build(desk: Desk, access: Access, hosts: list[str]) -> Starlette:
    """The application. `hosts` are the names that a browser may call it by."""
    pages = Pages(desk, access)
    originals = Originals(desk.warehouse.archive)
    computing = Computing()
    tokens = AttemptPages(desk, computing, pages.show, pages.form)
    shown = OriginalPages(desk, originals, pages.show)
    return Starlette(
        routes=[
            Route("/", pages.queue),
            Route("/next", pages.following),
            Route("/document/{run}/{document}", pages.document),
            Route("/document/{run}/{document}/check", pages.check, methods=["POST"]),
            Route("/document/{run}/{document}/decide", pages.decide, methods=["POST"]),
            Route("/document/{run}/{document}/original", shown.original),
            Route("/document/{run}/{document}/page/{page}.png", shown.picture),
            Route("/document/{run}/{document}/page/{page}.json", shown.boxes),
            Route("/attempt/{attempt}", tokens.attempt),
            Route("/attempt/{attempt}/probabilities", tokens.state),
            Route("/attempt/{attempt}/probabilities", tokens.compute, methods=["POST"]),
            *(route for part in _FIGURES for route in part(desk, pages.show).routes()),
            *Files(desk.warehouse.home).routes(),
            Route("/static/{name}", static),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=hosts), Middleware(Guard, access=access)],
        exception_handlers={AssayError: refused},
        lifespan=_closing(originals, computing),
    )


def _closing(*parts: Originals | Computing) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    """The lifespan of an application whose parts hold processes: they end with it."""

    @asynccontextmanager
    async def living(_: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            for part in parts:
                await run_in_threadpool(part.close)

    return living


class Pages:
    """The routes over one desk."""

    def __init__(self, desk: Desk, access: Access) -> None:
        self._desk, self._access = desk, access

    def queue(self, request: Request) -> Response:
        """What waits for a person."""
        number = max(int(_digits(request.query_params.get("page")) or 1), 1)
        rows, choices = self._desk.queue(_wanted(request), most=PAGE, skip=PAGE * (number - 1))
        if number > 1 and not rows:  # what stood there was decided meanwhile, or never was
            return RedirectResponse(f"/?{_query(request)}", status_code=303)
        waiting = rows[0]["waiting"] if rows else 0
        values = {"rows": rows, "choices": choices, "waiting": waiting, "page": number, "size": PAGE}
        return self.show("review_queue.html.j2", request, **values)

    def following(self, request: Request) -> Response:
        """The next document of the queue after the one named, else the queue."""
        given = request.query_params
        after = self._after(request, given.get("after_run", ""), given.get("after", ""))
        return RedirectResponse(after, status_code=303)

    def _after(self, request: Request, run: str, document: str) -> str:
        """The address of what the queue has after a document as it stands, else of the queue."""
        found = self._desk.following(_wanted(request), run, document)
        return f"{f'/document/{found[0]}/{found[1]}' if found else '/'}?{_query(request)}"

    def document(self, request: Request) -> Response:
        """One document beside its fields."""
        case = self._case(request)
        shown = cards(case)
        return self.show(
            "review_document.html.j2",
            request,
            case=case,
            cards=shown,
            pieces=pieces(case.row["text"], shown),
            elsewhere=elsewhere(shown, case.verdict.findings),
            cut=max(len(case.row["text"]) - LONGEST, 0),
        )

    async def check(self, request: Request) -> Response:
        """What the checks would say of a change, as JSON; nothing is recorded."""
        form = await self.form(request)

        def answer() -> dict[str, Any]:
            _, verdict = self._desk.check(self._case(request), _change(form))
            findings = [finding for finding in verdict.findings if finding.severity != "info"]
            return {"status": verdict.status, "findings": [safe(one.message) for one in findings[:8]]}

        return JSONResponse(await run_in_threadpool(answer))

    async def decide(self, request: Request) -> Response:
        """Record a decision and go on: after a change in the same document, else to the next."""
        form = await self.form(request)
        case = await run_in_threadpool(self._case, request)
        who, seen = self._access.who(request), form["version"]
        here = f"/document/{case.row['run_id']}/{case.row['document_id']}?{_query(request)}"
        if form["decision"] == "accept":
            key = case.row["run_id"], case.row["document_id"]
            # Before it is accepted: then it has no place there any more.
            after = await run_in_threadpool(self._after, request, *key)
            await run_in_threadpool(self._desk.accept, case, who, seen)
            return RedirectResponse(after, status_code=303)
        done = await run_in_threadpool(self._desk.change, case, _change(form), who, seen)
        anchor = next_anchor(places(case.schema, done.answer), done)
        return RedirectResponse(f"{here}#{anchor}" if anchor else here, status_code=303)

    def _case(self, request: Request) -> Case:
        return self._desk.case(request.path_params["run"], request.path_params["document"])

    async def form(self, request: Request) -> dict[str, str]:
        """The form's fields. Raises UsageError for one that is not ours, or too large."""
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > MOST_FORM:
                raise UsageError("this form is too large")
        fields = _fields(body)
        form = {
            "pointer": "",
            "version": "",
            "decision": "",
            **{name: one[-1] for name, one in fields.items()},
        }
        if not hmac.compare_digest(form.get("csrf", "").encode(), request.state.form_token.encode()):
            raise UsageError("this form is not from this session: load the page again")
        request.state.given = form  # a page that refuses it gives it back: it was typed with care
        return form

    def show(self, name: str, request: Request, **values: Any) -> Response:
        """A page from a template, with what all pages are given."""
        common = {
            "who": self._access.who(request),
            "csrf": request.state.form_token,
            "read_only": self._desk.read_only,
            "filters": _filters(request),
            "query": _query(request),
            "safe": safe,
        }
        return HTMLResponse(template(name).render(**common, **values))


def static(request: Request) -> Response:
    """The style sheet and the script, by name."""
    name = request.path_params["name"]
    if name not in _STATIC:
        return Response(status_code=404)
    return Response(text_of(name), media_type=_KINDS[PurePath(name).suffix])


def refused(request: Request, error: Exception) -> Response:
    """What a person can put right, in words: on a page, or as JSON where a script asked."""
    code = 409 if isinstance(error, ReviewConflict) else 503 if isinstance(error, WarehouseLocked) else 422
    if request.url.path.endswith("/check"):
        return JSONResponse({"status": "refused", "findings": [safe(str(error))]}, status_code=code)
    path, given = request.url.path, getattr(request.state, "given", {})
    query = f"?{_query(request)}".rstrip("?")
    html = template("review_refused.html.j2").render(
        message=safe(str(error)),
        code=code,
        again=f"{path}{query}",
        back=f"{path.removesuffix('/decide').removesuffix('/probabilities')}{query}",
        following=_following(request),
        given=given,
        typed=_change(given).texts if given else {},
        is_form=request.method == "POST",
        safe=safe,
    )
    return HTMLResponse(html, status_code=code)


def _following(request: Request) -> str | None:
    """The address of what the queue has after the document that a page is of."""
    run, document = (request.path_params.get(name) for name in ("run", "document"))
    return f"/next?{_query(request)}&{urlencode({'after_run': run, 'after': document})}" if document else None


def _change(form: dict[str, str]) -> Change:
    """What a form asks for, a value where no button says it. What was typed is in `value`, `value/name`."""
    kind = form["decision"] if form["decision"] in KINDS else "correct"
    texts = {name.removeprefix("value"): text for name, text in form.items() if name.startswith("value")}
    return Change(kind, form["pointer"], texts)


def _fields(body: bytes) -> dict[str, list[str]]:
    """The fields of a form's body. Raises UsageError for more than any form of ours has."""
    try:
        return parse_qs(body.decode(errors="replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise UsageError(f"this form has more than {MOST_FIELDS} fields") from error


def _filters(request: Request) -> dict[str, str | None]:
    return {name: request.query_params.get(name) or None for name in _FILTERS}


def _wanted(request: Request) -> Wanted:
    found = _filters(request)
    return Wanted(found["schema"], found["category"], found["field"], found["run"])


def _query(request: Request) -> str:
    return urlencode({name: value for name, value in _filters(request).items() if value})


def _digits(text: str | None) -> str:
    return "".join(char for char in text or "" if char in "0123456789")[:6]

"""The routes of a document's original: the page that shows it, a PDF's pages as pictures, places on them."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from extractors.readers import media
from flows.output import safe
from flows.review.desk import Desk
from flows.review.document import LONGEST, Card, cards, pieces
from flows.review.original import Originals
from flows.review.table import DIVIDED, SHEETS, tables
from schemas.errors import AssayError, ReadError, UsageError, WarehouseError, WarehouseLocked
from warehouse.reviews import extracted, original

MOST_SPANS = 500
_PAGE = re.compile(r"[1-9][0-9]{0,5}")
_SPAN = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
Show = Callable[..., Response]
"""Fills in a template: its name, the request, the values."""


class OriginalPages:
    """The routes, over one desk."""

    def __init__(self, desk: Desk, originals: Originals, show: Show) -> None:
        self._desk, self._originals, self._show = desk, originals, show

    def original(self, request: Request) -> Response:
        """The document as it is, or in words why it cannot be shown."""
        case = self._desk.case(request.path_params["run"], request.path_params["document"])
        row = self._row(request)
        shown = cards(case)
        try:
            self._originals.verify(row["document_id"])
            view = self._view(row, shown)
        except (ReadError, WarehouseError) as error:
            view = {"kind": "notice", "notice": str(error)}
        linked = self._linked(request, row, view)
        return self._show("review_original.html.j2", request, row=row, case=case, linked=linked, **view)

    def picture(self, request: Request) -> Response:
        """A page of a PDF as PNG."""
        try:
            row = self._pdf(request)
            return Response(
                self._originals.picture(row["document_id"], _page(request)), media_type="image/png"
            )
        except AssayError as error:
            return _in_words(error)

    def boxes(self, request: Request) -> Response:
        """Where spans of a page's text (`spans=3-9,12-20`, code points) stand on it, as JSON."""
        try:
            row, page = self._pdf(request), _page(request)
            text = _page_text(row, page)
            found = self._originals.boxes(row["document_id"], page, text, _spans(request))
        except AssayError as error:
            return _in_words(error)
        return JSONResponse(found)

    def _row(self, request: Request) -> Mapping[str, Any]:
        with self._desk.warehouse.asking() as ask:
            return original(ask, request.path_params["run"], request.path_params["document"])

    def _pdf(self, request: Request) -> Mapping[str, Any]:
        row = self._row(request)
        if row["media_type"] != media.PDF:
            raise UsageError("only a PDF has pages to be drawn")
        return row

    def _view(self, row: Mapping[str, Any], shown: Sequence[Card]) -> dict[str, Any]:
        document, kind, text = row["document_id"], row["media_type"], row["text"]
        if kind == media.PDF:
            return {"kind": "pages", **self._originals.pages(document), "spans": spans_by_page(row, shown)}
        if kind == media.EML:
            return {"kind": "mail", **self._originals.mail(document), "body": _body(text, shown)}
        if kind in SHEETS | DIVIDED:
            return {"kind": "tables", "tables": tables(text, row["page_starts"], kind, shown)}
        if media.READER_OF.get(kind) in ("text", "html"):
            return {"kind": "markup", **self._originals.markup(document)}
        return {"kind": "notice", "notice": f"A document of type {kind} is shown as its text only."}

    def _linked(
        self, request: Request, row: Mapping[str, Any], view: Mapping[str, Any]
    ) -> dict[str, dict[str, Any]]:
        """The extractions of what is attached to a mail, and of the mail that a document was attached to."""
        wanted = [one["sha256"] for one in view.get("attachments", ())]
        wanted += [row["parent_id"]] if row["parent_id"] else []
        if not wanted:
            return {}
        with self._desk.warehouse.asking() as ask:
            return extracted(ask, request.path_params["run"], wanted)


def spans_by_page(row: Mapping[str, Any], shown: Sequence[Card]) -> dict[int, list[str]]:
    """Page number to `CARD.OCCURRENCE:START-END` of the spans that begin on it, counted from its first."""
    found: dict[int, list[str]] = {}
    starts = row["page_starts"]
    for number, card in enumerate(shown):
        for place, span in enumerate(card.spans):
            page = bisect.bisect_right(starts, span.start)
            if page:
                first = starts[page - 1]
                told = f"{number}.{place}:{span.start - first}-{span.end - first}"
                found.setdefault(page, []).append(told)
    return found


def _page_text(row: Mapping[str, Any], page: int) -> str:
    """What the reader took from a page. Raises UsageError where it took nothing from such a one."""
    edges = [*row["page_starts"], len(row["text"])]
    if page >= len(edges):
        raise UsageError(f"there is no text of a page {page}")
    text: str = row["text"][edges[page - 1] : edges[page]]
    return text


def _body(text: str, shown: Sequence[Card]) -> list[Any]:
    """The pieces of a mail's text behind the headers that the reader wrote before it."""
    start = min(text.find("\n\n") + 2 if "\n\n" in text else 0, LONGEST)
    return [piece for piece in pieces(text, shown, {start}) if piece.start >= start]


def _page(request: Request) -> int:
    given = request.path_params["page"]
    if not _PAGE.fullmatch(given):
        raise UsageError("a page is named by its number, from 1")
    return int(given)


def _spans(request: Request) -> list[tuple[int, int]]:
    """The spans that are asked for. Raises UsageError for others, or too many."""
    given = request.query_params.get("spans", "")
    found = [_SPAN.fullmatch(one) for one in given.split(",", MOST_SPANS)]
    if len(found) > MOST_SPANS or not all(found):
        raise UsageError(f"spans are START-END, with commas between them, {MOST_SPANS} at most")
    return [(int(one[1]), int(one[2])) for one in found if one]


def _in_words(error: AssayError) -> Response:
    """What a picture is replaced by."""
    code = 503 if isinstance(error, WarehouseLocked) else 422
    return PlainTextResponse(safe(str(error)), status_code=code)

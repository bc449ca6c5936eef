"""The process that shows documents as they are: `python -m extractors.readers.original PARENT MEMORY TIME`.

A request is one line of JSON, a line feed, and the document's bytes; `wanted` says which answer is meant:

| wanted | given | answer, as JSON |
| --- | --- | --- |
| pages | | `count`, `sizes` of those that are listed in pixels |
| picture | `page` | nothing; the picture, as PNG, is the one attachment |
| boxes | `page`, `text`, `spans` | for each span a list of `[left, top, right, bottom]` |
| mail | | `headers` as pairs, `attachments` with `name`, `size`, `sha256` |
| markup | | `text`: the bytes, decoded; `cut`: how many code points more there are |

Everything else is as in `extractors.readers.worker`, which it runs in.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from extractors.readers.mail import headers, parsed, read_mail
from extractors.readers.pdf_picture import boxes, picture, sizes
from extractors.readers.reading import Attachment, Reading
from extractors.readers.sniff import sniff
from extractors.readers.text import clean
from extractors.readers.worker import main
from schemas.errors import ReadError
from schemas.records import Category

MOST_HEADERS = 200
LONGEST_HEADER = 4_000
LONGEST = 200_000
"""Code points of markup that are sent."""


def request(data: bytes, **given: Any) -> bytes:
    """A request as a worker takes it."""
    return json.dumps(given).encode("ascii") + b"\n" + data


def show(asked: bytes, announce: Callable[[str, str], None]) -> Reading:  # noqa: ARG001  nothing to announce
    """The answer to one request. Raises ReadError."""
    line, _, data = asked.partition(b"\n")
    given = json.loads(line)
    wanted = given.pop("wanted")
    if wanted == "picture":
        return Reading("", attachments=(Attachment("page.png", picture(data, given["page"])),))
    return Reading(json.dumps(_ANSWERS[wanted](data, **given)))


def _pages(data: bytes) -> dict[str, Any]:
    count, listed = sizes(data)
    return {"count": count, "sizes": listed}


def _boxes(data: bytes, page: int, text: str, spans: list[tuple[int, int]]) -> list[Any]:
    return boxes(data, page, text, spans)


def _mail(data: bytes) -> dict[str, Any]:
    text = _decoded(data)
    found = [(clean(name), clean(value)[:LONGEST_HEADER]) for name, value in headers(parsed(text, data))]
    return {
        "headers": found[:MOST_HEADERS],
        "attachments": [
            {"name": one.name, "size": len(one.data), "sha256": hashlib.sha256(one.data).hexdigest()}
            for one in read_mail(text, data).attachments
        ],
    }


def _markup(data: bytes) -> dict[str, Any]:
    text = clean(_decoded(data))
    return {"text": text[:LONGEST], "cut": max(len(text) - LONGEST, 0)}


def _decoded(data: bytes) -> str:
    kind, text = sniff(data)
    if text is None:
        raise ReadError(Category.UNSUPPORTED_TYPE, f"A document of type {kind} is not shown.")
    return text


_ANSWERS: dict[str, Callable[..., Any]] = {
    "pages": _pages,
    "boxes": _boxes,
    "mail": _mail,
    "markup": _markup,
}

if __name__ == "__main__":
    main(show)

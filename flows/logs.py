"""What a run says while nobody looks: one line each, as text, or as JSON for a collector.

Every line of JSON says to which run, shard and document it belongs. No text of a document is ever in a line:
an exception's message may quote what it choked on, so of an exception only its kind and place are told.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from flows.secrets import redact

Form: TypeAlias = Literal["text", "json"]
OURS = ("flows", "extractors", "validators", "warehouse", "schemas")
_ABOUT: ContextVar[Mapping[str, str]] = ContextVar("about", default=MappingProxyType({}))
_LOG = logging.getLogger(__name__)
_FRAMES = 12


@contextmanager
def about(**names: str) -> Iterator[None]:
    """What is logged meanwhile, here and in tasks begun here, is about this `run`, `shard`, `document`."""
    token = _ABOUT.set({**_ABOUT.get(), **names})
    try:
        yield
    finally:
        _ABOUT.reset(token)


def use(form: Form) -> None:
    """Our loggers write to stderr: text from warnings on, JSON from news on. Others are left alone."""
    handler = _Stderr()
    handler.setFormatter(_Json() if form == "json" else _Text())
    for name in OURS:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(logging.INFO if form == "json" else logging.WARNING)


def is_json() -> bool:
    """Whether stderr is for a collector: then everything there is JSON."""
    return any(isinstance(one.formatter, _Json) for one in logging.getLogger(OURS[0]).handlers)


def tell(event: str, **fields: Any) -> None:
    """One piece of news about what is at hand, with its figures; nothing where only text is written."""
    _LOG.info(event, extra={"fields": fields})


class _Stderr(logging.StreamHandler[Any]):
    """Writes to what stderr is at that time: a live display and a test put another in its place."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> Any:
        """Where lines go."""
        return sys.stderr


class _Text(logging.Formatter):
    """`assay: LEVEL message`, and where an exception came from."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, or a few for an exception."""
        line = f"assay: {record.levelname.lower()}: {_one_line(record.getMessage())}"
        return redact("\n".join([line, *(f"    {frame}" for frame in _raised(record))]))


class _Json(logging.Formatter):
    """One object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level and event first, then what it is about, then its own figures."""
        head = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            "logger": record.name,
        }
        raised = {"raised": frames} if (frames := _raised(record)) else {}
        line = {**head, **_ABOUT.get(), **getattr(record, "fields", {}), **raised}
        return redact(json.dumps(_plain(line)))


def _plain(line: Mapping[str, Any]) -> Any:
    from flows.output import plain

    return plain(line)


def _one_line(text: str) -> str:
    from flows.output import safe

    return safe(text)


def _raised(record: logging.LogRecord) -> list[str]:
    """The kind of the exception, and the innermost places; its message may quote a document."""
    if record.exc_info is None or record.exc_info[0] is None:
        return []
    kind, _, trace = record.exc_info
    frames = traceback.extract_tb(trace)[-_FRAMES:]
    return [kind.__name__, *(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames)]

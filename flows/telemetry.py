"""Traces and metrics over OTLP, where `OTEL_EXPORTER_OTLP_ENDPOINT` is set; without it, nothing is loaded.

Spans: run, shard, land, document, read, generate, validate. Metrics: documents by status, tokens, queues, and
how full the engine is. Attributes are ids, names from closed lists, and figures: no text, no file name. All
other `OTEL_*` variables (headers, sampling, service name) are the SDK's own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from extractors.engines.base import Engine
    from flows.otlp import Otlp
    from schemas.records import Extraction

ENDPOINTS = tuple(f"OTEL_EXPORTER_OTLP_{kind}ENDPOINT" for kind in ("", "TRACES_", "METRICS_"))
_OFF = "OTEL_SDK_DISABLED"
_sending: Otlp | None = None


def wanted() -> bool:
    """Whether somebody is there to send to."""
    return any(map(os.environ.get, ENDPOINTS)) and os.environ.get(_OFF, "").lower() != "true"


@contextmanager
def run(run_id: str, schema: str, kind: str) -> Iterator[None]:
    """A run, from its start to its end; what was gathered is sent by then."""
    global _sending
    if not wanted() or _sending is not None:
        yield
        return
    from flows.otlp import Otlp

    _sending = Otlp(schema)
    try:
        with _sending.span("run", {"assay.run": run_id, "assay.schema": schema, "assay.kind": kind}):
            yield
    finally:
        sending, _sending = _sending, None
        sending.close()


def span(name: str, **about: str | int | float) -> AbstractContextManager[Any]:
    """A part of the run; `about` are its attributes, under `assay.`."""
    if _sending is None:
        return nullcontext()
    return _sending.span(name, {f"assay.{key}": value for key, value in about.items()})


def ended(extraction: Extraction) -> None:
    """One document has its outcome."""
    if _sending is not None:
        _sending.count(extraction)


def queue(name: str, length: Callable[[], int]) -> None:
    """A queue whose length is asked for at each export."""
    if _sending is not None:
        _sending.queues[name] = length


def watched(engine: Engine, places: int) -> Engine:
    """The same engine, which works on `places` requests at once; looked at where somebody is to be told."""
    if _sending is None:
        return engine
    from flows.watched import Watched

    return Watched(engine, places, _sending)

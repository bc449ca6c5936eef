"""What `flows.telemetry` sends, with OpenTelemetry's SDK. Only loaded where an endpoint is set."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from threading import Thread
from typing import Any

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricExportResult, MetricsData, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult

from flows.output import note
from schemas.records import Extraction

CLOSE_S = 5.0
"""Seconds that sending what is left may take at the end of a run."""
_NAME = "assay"


class Load:
    """How full an engine is: requests in it over its places, averaged over the time since last asked."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._in_flight, self._places = 0, 1
        self._since = self._last = clock()
        self._full = 0.0

    @contextmanager
    def one(self, places: int) -> Iterator[None]:
        """One request, from its sending to its answer."""
        self._places = places
        self._move(+1)
        try:
            yield
        finally:
            self._move(-1)

    def in_flight(self) -> int:
        """Requests in the engine now, waiting ones too."""
        return self._in_flight

    def utilisation(self) -> float:
        """The mean share of places taken since the last call, 0 to 1."""
        self._move(0)
        passed = self._last - self._since
        mean, self._since, self._full = (self._full / passed if passed else 0.0), self._last, 0.0
        return mean

    def _move(self, by: int) -> None:
        now = self._clock()
        self._full += min(self._in_flight / self._places, 1.0) * (now - self._last)
        self._last = now
        self._in_flight += by


class _Spans(OTLPSpanExporter):
    """Remembers whether something could not be sent: the SDK only logs it."""

    failed = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """As the SDK's own."""
        result = super().export(spans)
        self.failed |= result is not SpanExportResult.SUCCESS
        return result


class _Metrics(OTLPMetricExporter):
    """The same for metrics."""

    failed = False

    def export(
        self, metrics_data: MetricsData, timeout_millis: float | None = 10_000, **others: Any
    ) -> MetricExportResult:
        """As the SDK's own."""
        result = super().export(metrics_data, timeout_millis, **others)
        self.failed |= result is not MetricExportResult.SUCCESS
        return result


def described() -> Resource:
    """Who sends, as OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say; `assay` where they give no name."""
    found = Resource.create()
    unnamed = str(found.attributes[SERVICE_NAME]).startswith("unknown_service")
    return found.merge(Resource({SERVICE_NAME: _NAME})) if unnamed else found


class Otlp:
    """One run's traces and metrics on their way out. Nothing of it is global: others trace on their own."""

    def __init__(self, schema: str) -> None:
        resource = described()
        self.queues: dict[str, Callable[[], int]] = {}
        self.load = Load()
        self._schema = schema
        self._exporters = _Spans(), _Metrics()
        self._spans = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._spans.add_span_processor(BatchSpanProcessor(self._exporters[0]))
        reader = PeriodicExportingMetricReader(self._exporters[1])
        self._metrics = MeterProvider([reader], resource, shutdown_on_exit=False)
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)  # it logs tracebacks of its exporters
        self._tracer = self._spans.get_tracer(_NAME)
        meter = self._metrics.get_meter(_NAME)
        self._documents = meter.create_counter("assay.documents", "{document}", "Documents by outcome")
        self._tokens = meter.create_counter("assay.tokens", "{token}", "Tokens by kind")
        meter.create_observable_gauge("assay.queue", [self._lengths], "{item}", "Items waiting, by queue")
        meter.create_observable_gauge(
            "assay.engine.requests", [self._in_flight], "{request}", "In the engine"
        )
        meter.create_observable_gauge("assay.engine.utilisation", [self._full], "1", "Share of places taken")

    def span(self, name: str, attributes: Mapping[str, Any]) -> AbstractContextManager[Any]:
        """A span below the one at hand. An exception in it marks it as failed; its message is not sent."""
        return self._tracer.start_as_current_span(
            name, attributes=dict(attributes), record_exception=False, set_status_on_exception=False
        )

    def count(self, extraction: Extraction) -> None:
        """One document's outcome and its tokens."""
        about = {"schema": self._schema, "status": str(extraction.status)}
        category = {"category": str(extraction.category)} if extraction.category else {}
        self._documents.add(1, {**about, **category})
        for kind in ("prompt", "output", "cached"):
            tokens = sum(getattr(attempt, f"{kind}_tokens") or 0 for attempt in extraction.attempts)
            self._tokens.add(tokens, {"schema": self._schema, "kind": kind})

    def close(self) -> None:
        """Send what is left; say so where it could not be sent. A collector that is away delays no run.

        The SDK tries each of them for longer than its own time limits say, so they are left to threads that
        may go on.
        """
        closing = [Thread(target=one.shutdown, daemon=True) for one in (self._spans, self._metrics)]
        for thread in closing:
            thread.start()
        until = time.monotonic() + CLOSE_S
        for thread in closing:
            thread.join(max(until - time.monotonic(), 0.0))
        if any(thread.is_alive() for thread in closing) or any(one.failed for one in self._exporters):
            note("assay: traces or metrics could not all be sent: look at OTEL_EXPORTER_OTLP_ENDPOINT")

    def _lengths(self, _: CallbackOptions) -> Iterable[Observation]:
        return [Observation(length(), {"queue": name}) for name, length in self.queues.items()]

    def _in_flight(self, _: CallbackOptions) -> Iterable[Observation]:
        return [Observation(self.load.in_flight())]

    def _full(self, _: CallbackOptions) -> Iterable[Observation]:
        return [Observation(self.load.utilisation())]

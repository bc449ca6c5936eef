"""What a collector gets over OTLP, from a run with a fake engine; and that nothing is loaded without one."""

from __future__ import annotations

import io
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from rich.console import Console

from flows import otlp
from flows.order import Order, Summary
from flows.otlp import Load, described
from flows.plan import planned
from flows.run import carry_out
from flows.settings import Settings
from tests.flows.fake_engine import Factory, receipt
from tests.flows.receiver import Receiver

CANARY = "CANARY-4711-NEVER-SENT"


class Collector(Receiver):
    """An OTLP/HTTP receiver."""

    @property
    def spans(self) -> list[Any]:
        bodies = [body for path, body in self.raw if path == "/v1/traces"]
        found = [ExportTraceServiceRequest.FromString(body) for body in bodies]
        return [
            span
            for one in found
            for spans in one.resource_spans
            for scope in spans.scope_spans
            for span in scope.spans
        ]

    def all(self, metric: str) -> list[tuple[dict[str, str], float]]:
        """All points of a metric, of each export."""
        bodies = [body for path, body in self.raw if path == "/v1/metrics"]
        exports = [_points(ExportMetricsServiceRequest.FromString(body)) for body in bodies]
        return [point for export in exports for point in export.get(metric, [])]

    @property
    def points(self) -> dict[str, list[tuple[dict[str, str], float]]]:
        """Each metric's last points: attributes and value."""
        latest: dict[str, list[tuple[dict[str, str], float]]] = {}
        for path, body in self.raw:
            if path == "/v1/metrics":
                latest.update(_points(ExportMetricsServiceRequest.FromString(body)))
        return latest


def _points(request: ExportMetricsServiceRequest) -> dict[str, list[tuple[dict[str, str], float]]]:
    found = {}
    for resource in request.resource_metrics:
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                data = metric.sum.data_points or metric.gauge.data_points
                found[metric.name] = [
                    (_named(point.attributes), point.as_int or point.as_double) for point in data
                ]
    return found


def _named(attributes: Any) -> dict[str, str]:
    return {one.key: one.value.string_value for one in attributes}


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    made = Collector()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", made.url)
    yield made
    made.close()


def extracted(tmp_path: Path, model_dir: Path) -> Summary:
    source = tmp_path / "source"
    source.mkdir()
    for number in range(1, 5):
        (source / f"{CANARY} {number}.txt").write_text(f"{receipt(number)}{CANARY}\n")
    (source / "5.txt").write_bytes(b"\x00\x01")
    settings = Settings(home=tmp_path / "home", model=model_dir, shard_size=2, max_num_seqs=2)
    with planned(Order(str(source), "receipt@1"), settings) as plan:
        factory = Factory(delay_s=0.05)
        return carry_out(plan, start_engine=factory, console=Console(file=io.StringIO()))


def test_a_run_is_traced_and_counted(tmp_path: Path, model_dir: Path, collector: Collector) -> None:
    summary = extracted(tmp_path, model_dir)
    _check_spans(collector.spans, str(summary.run_id))
    points = collector.points
    documents = {
        (about["status"], about.get("category")): value for about, value in points["assay.documents"]
    }
    assert documents == {("accepted", None): 4, ("rejected", "unsupported_type"): 1}
    tokens = {about["kind"]: value for about, value in points["assay.tokens"]}
    assert tokens["output"] == summary.tokens
    assert tokens["prompt"] > tokens["output"]
    assert {about["queue"] for about, _ in points["assay.queue"]} == {"read", "generate", "stage"}
    assert points["assay.engine.requests"] == [({}, 0)]
    assert 0 < max(value for _, value in collector.all("assay.engine.utilisation")) <= 1
    assert all(CANARY.encode() not in body for _, body in collector.raw)


def _check_spans(spans: list[Any], run_id: str) -> None:
    by_name: dict[str, list[Any]] = {}
    for span in spans:
        by_name.setdefault(span.name, []).append(span)
    counts = {name: len(found) for name, found in by_name.items()}
    assert counts["run"] == 1
    assert (counts["read"], counts["document"], counts["generate"], counts["validate"]) == (5, 5, 4, 4)
    assert counts["shard"] == counts["land"] >= 2
    (run,) = by_name["run"]
    assert _named(run.attributes)["assay.run"] == run_id
    assert {span.trace_id for span in spans} == {run.trace_id}
    assert {span.parent_span_id for name in ("read", "document", "shard") for span in by_name[name]} == {
        run.span_id
    }
    documents = {span.span_id for span in by_name["document"]}
    assert {span.parent_span_id for name in ("generate", "validate") for span in by_name[name]} <= documents
    assert {span.parent_span_id for span in by_name["land"]} <= {span.span_id for span in by_name["shard"]}


def test_a_service_has_the_name_that_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert described().attributes["service.name"] == "assay"
    monkeypatch.setenv("OTEL_SERVICE_NAME", "night")
    assert described().attributes["service.name"] == "night"


@pytest.mark.parametrize("hangs", [False, True])
def test_a_collector_that_is_away_costs_a_word_and_no_time(
    tmp_path: Path,
    model_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    hangs: bool,
) -> None:
    """One that refuses, and one that takes everything and never answers."""
    monkeypatch.setattr(otlp, "CLOSE_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as hole:
        port = hole.getsockname()[1] if hangs else 9
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{port}")
        assert extracted(tmp_path, model_dir).documents == 5
    told = capfd.readouterr().err
    assert "traces or metrics could not all be sent: look at OTEL_EXPORTER_OTLP_ENDPOINT" in told
    assert "Traceback" not in told


def test_load_is_the_mean_share_of_places_taken() -> None:
    now = [0.0]
    load = Load(clock=lambda: now[0])
    with load.one(4), load.one(4):
        now[0] = 1.0
    now[0] = 4.0
    assert load.utilisation() == 0.5 * 1.0 / 4.0
    assert load.utilisation() == 0.0
    now[0] = 5.0
    assert load.utilisation() == 0.0


def test_nothing_is_loaded_without_an_endpoint(root: Path) -> None:
    script = "import flows.run, sys; print([one for one in sys.modules if 'opentelemetry' in one])"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"

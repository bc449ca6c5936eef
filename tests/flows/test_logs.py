"""Logs for a collector: each line says what it is about, and none says what stands in a document."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from flows import logs
from flows.order import Order, Summary
from flows.output import note
from flows.secrets import redact
from flows.settings import Settings
from schemas.decoding import Decoding
from schemas.records import Attempt, Request
from tests.flows.fake_engine import Factory, FakeEngine, receipt
from tests.flows.nights import carried

CANARY = "CANARY-4711-NEVER-LOGGED"
SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"


class Choking(FakeEngine):
    """Raises what quotes the document for one of them, and answers with its text for the others."""

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:
        text = self.tokenizer.decode(request.prompt_ids)
        if "COMPANY 0002" in text:
            raise ValueError(f"choked on {CANARY}")
        return await super().generate(request, decoding, document_id)


@pytest.fixture
def lines(capfd: pytest.CaptureFixture[str]) -> Iterator[Any]:
    logs.use("json")
    yield lambda: [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    logs.use("text")


def extracted(tmp_path: Path, model_dir: Path) -> Summary:
    source = tmp_path / "source"
    source.mkdir()
    for number in range(1, 6):
        (source / f"{number}.txt").write_text(f"{receipt(number)}{CANARY}\n")
    (source / f"{CANARY}.pdf").write_bytes(b"%PDF-1.7 " + CANARY.encode())
    settings = Settings(home=tmp_path / "home", model=model_dir, shard_size=2)
    engine = Factory(kind=Choking, answer=lambda _: f"{CANARY} {{")
    return carried(Order(str(source), "receipt@1"), settings, engine)


def test_each_line_is_about_something_and_tells_no_text(tmp_path: Path, model_dir: Path, lines: Any) -> None:
    summary = extracted(tmp_path, model_dir)
    found = lines()
    assert summary.documents == 6
    assert CANARY not in json.dumps(found)
    ours = [line for line in found if line["event"] != "progress"]
    assert not any("document" in line for line in found if line not in ours)
    assert {line["run"] for line in ours} == {summary.run_id}
    by_event: dict[str, list[dict[str, Any]]] = {}
    for line in ours:
        by_event.setdefault(line["event"], []).append(line)
    assert [line["blobs"] for line in by_event["run started"]] == [6]
    assert [line["status"] for line in by_event["run ended"]] == ["failed"]
    documents = by_event["document"]
    assert len({line["document"] for line in documents}) == 6
    assert {line["category"] for line in documents} >= {"engine_error", "text_before_json"}
    assert {line["level"] for line in found} <= {"info", "warning", "error"}
    assert {line["failed_level"] for line in documents} >= {"decode", "syntax"}
    assert all(line["shard"].startswith(str(summary.run_id)) for line in by_event["shard landed"])
    assert sum(line["documents"] for line in by_event["shard staged"]) == 6
    (raised,) = [line for line in ours if line["level"] == "error"]
    assert raised["raised"][0] == "ValueError"
    assert "test_logs.py" in raised["raised"][-1]
    assert len(raised["document"]) == 64


def test_text_tells_no_text_of_a_document_either(
    tmp_path: Path, model_dir: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    logs.use("text")
    extracted(tmp_path, model_dir)
    told = capfd.readouterr().err
    assert "ValueError" in told
    assert CANARY not in told


def test_news_for_a_person_become_lines_too(lines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    note(f"waiting for http://user:pa55word@store/?X-Amz-Signature=0123abcd with {SECRET}")
    logging.getLogger("extractors.engines.balance").warning("left out: http://user:pa55word@gpu-1")
    first, second = lines()
    assert first["event"] == "waiting for http://***@store/?X-Amz-Signature=*** with ***"
    assert (second["event"], second["level"]) == ("left out: http://***@gpu-1", "warning")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("postgresql+asyncpg://prefect:s3cret@db:5432/x", "postgresql+asyncpg://***@db:5432/x"),
        ("https://user:p@ss@host/a", "https://***@host/a"),
        ("Authorization: Bearer sk-abcdefgh12345678", "Authorization: Bearer ***"),
        ("az://c/k?sv=1&sig=abc%3D&se=2", "az://c/k?sv=1&sig=***&se=2"),
        (
            "mail to someone@example.org about http://host/a",
            "mail to someone@example.org about http://host/a",
        ),
    ],
)
def test_credentials_are_taken_out(given: str, told: str) -> None:
    assert redact(given) == told


def test_a_short_value_or_a_path_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "true")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/etc/keys/google.json")
    assert redact("true: /etc/keys/google.json") == "true: /etc/keys/google.json"


@pytest.mark.parametrize(
    "name", ["ASSAY_ENGINE_API_KEY", "NOTIFY_SENDGRID_KEY", "OTEL_EXPORTER_OTLP_HEADERS"]
)
def test_a_key_is_taken_out_however_it_is_written(
    lines: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    key = 'pä"ss\\word/ü'
    monkeypatch.setenv(name, f"{key}\n")
    logging.getLogger("flows").warning("%s is wrong, http://host/%s too", key, quote(key, safe=""))
    logs.tell("odd", value=float("nan"), answer=json.dumps({"key": key}))
    told, odd = lines()
    assert told["event"] == "*** is wrong, http://host/*** too"
    assert odd["value"] is None
    assert "word" not in str(odd)

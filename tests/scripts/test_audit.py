"""The audit against a service of our own: known, unknown, and away."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from scripts import audit
from scripts.vllm_server import free_port

KNOWN = {
    "id": "GHSA-0000-0000-0000",
    "aliases": ["CVE-2026-0001"],
    "summary": "Everything can be read.",
    "details": "Everything can be read.",
    "modified": "2026-01-01T00:00:00Z",
    "published": "2026-01-01T00:00:00Z",
    "affected": [
        {
            "package": {"name": "badly-written", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.1"}]}],
        }
    ],
}


@pytest.fixture
def service() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            known = asked["package"]["name"] == "badly-written"
            body = json.dumps({"vulns": [KNOWN]} if known else {}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the base class names it so
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1/query"
    server.shutdown()
    server.server_close()


def test_a_known_vulnerability_fails(service: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pins.txt"
    file.write_text("badly-written==1.0\nwell-written==1.0\n")
    assert audit.main(["--service", service, str(file)]) == 1
    assert "CVE-2026-0001" in "".join(capfd.readouterr())


def test_nothing_known_is_no_failure(service: str, tmp_path: Path) -> None:
    file = tmp_path / "pins.txt"
    file.write_text("well-written==1.0\n")
    assert audit.main(["--service", service, str(file)]) == 0


def test_a_service_that_is_away_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.main(["--service", f"http://127.0.0.1:{free_port()}/v1/query"]) == 0
    assert "audit: skipped: advisory service not reachable" in capsys.readouterr().out


def test_the_files_that_are_audited_are_there(root: Path) -> None:
    assert all((root / "requirements" / name).is_file() for name in audit.FILES)

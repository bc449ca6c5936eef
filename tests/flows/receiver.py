"""An HTTP server on loopback that says yes to everything, and keeps it."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver:
    """`raw` holds the path and the body of each POST."""

    def __init__(self) -> None:
        self.raw: list[tuple[str, bytes]] = []
        keep = self.raw

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                keep.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the base class names it so
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()

"""A page in a browser that a test drives: Chromium's own DevTools protocol over a web socket."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect
from websockets.sync.connection import Connection

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")


class Tab:
    """One page. `run` evaluates JavaScript in it, `press` sends a key as a keyboard would."""

    def __init__(self, socket: Connection) -> None:
        self._socket, self._numbers = socket, itertools.count(1)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the protocol. Raises AssertionError with the browser's message."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._socket.recv(timeout=60))
            if answer.get("id") == number:
                assert "error" not in answer, answer
                found: dict[str, Any] = answer["result"]
                return found

    def run(self, script: str) -> Any:
        """The value of an expression."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, script: str, seconds: float = 60.0) -> Any:
        """The value of an expression once it is true; a page that is being left counts as not yet."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
            if answer["result"].get("value"):
                return answer["result"]["value"]
            time.sleep(0.05)
        raise AssertionError(f"never true: {script}")

    def go(self, address: str) -> None:
        """Open a page, and wait until it is loaded."""
        self.call("Page.navigate", url=address)
        self.until(f"location.href === {json.dumps(address)} && document.readyState === 'complete'")

    def press(self, key: str) -> None:
        """Press and release one key that types itself, or Enter."""
        text = "\r" if key == "Enter" else key
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)


@contextmanager
def tab(profile: Path) -> Iterator[Tab]:
    """A fresh browser with one empty page. Skips without a browser."""
    browser = next(filter(None, map(shutil.which, _NAMES)), None)
    if browser is None:
        pytest.skip("no Chromium here")
    command = [browser, *_FLAGS, "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            with connect(_address(profile), max_size=None) as socket:
                yield Tab(socket)
        finally:
            process.kill()


def _address(profile: Path, seconds: float = 60.0) -> str:
    """The web socket of the first page; the browser writes its port into its profile."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            port = (profile / "DevToolsActivePort").read_text().split()[0]
            targets = httpx.get(f"http://127.0.0.1:{port}/json/list", trust_env=False).json()
            return str(next(one["webSocketDebuggerUrl"] for one in targets if one["type"] == "page"))
        except (OSError, IndexError, StopIteration, httpx.HTTPError):
            time.sleep(0.1)
    raise AssertionError("the browser did not start")

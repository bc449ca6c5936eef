"""What a night does to the stack: documents arrive in the bucket, the deployment is triggered, rows land."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import duckdb
from obstore.store import S3Store

from tests.flows.fake_engine import receipt
from tests.stack.stack import Stack

DEPLOYMENT = "extract/nightly-extract"
SCHEMA = "receipt@1"
_ENDED = {"COMPLETED", "FAILED", "CRASHED", "CANCELLED"}


class Night:
    """One stack, and what was put into it."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.documents = 0
        environment = stack.environment("worker")
        self._api = environment["PREFECT_API_URL"]
        self._key = base64.b64encode(environment["PREFECT_API_AUTH_STRING"].encode()).decode()
        self._bucket = S3Store(
            environment["ASSAY_ROOTS"].removeprefix("s3://").strip("/"),
            endpoint=environment["AWS_ENDPOINT_URL"],
            region=environment["AWS_REGION"],
            access_key_id=environment["AWS_ACCESS_KEY_ID"],
            secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
            client_options={"allow_http": True},
        )

    def pause(self) -> None:
        """Only what is triggered here is run: a schedule whose time comes meanwhile would take its place."""
        for one in self.ask("deployments/filter", {}):
            self.ask(f"deployments/{one['id']}/pause_deployment", {})

    def arrive(self, count: int) -> None:
        """So many new documents in the bucket."""
        for number in range(self.documents, self.documents + count):
            self._bucket.put(f"inbox/receipt-{number:03}.txt", receipt(number).encode())
        self.documents += count

    def trigger(self) -> str:
        """The deployment, with what its form would send. Gives the flow run's id."""
        deployment = self.ask(f"deployments/name/{DEPLOYMENT}")["id"]
        job = {"schema_version": SCHEMA, "decoding": "guided-greedy"}
        made = self.ask(f"deployments/{deployment}/create_flow_run", {"parameters": {"job": job}})
        return str(made["id"])

    def ended(self, flow_run: str, limit_s: float) -> str:
        """How a flow run ended. While Prefect's server is away it is not known to have ended."""
        state = ""

        def over() -> bool:
            nonlocal state
            try:
                state = self.ask(f"flow_runs/{flow_run}")["state"]["type"]
            except (URLError, OSError):
                return False
            return state in _ENDED

        self.stack.until(over, limit_s, "the flow run has ended")
        return state

    def bury(self, flow_run: str) -> None:
        """Say that a flow run crashed, as Prefect's automation for silent runs does after a while."""
        state = {"type": "CRASHED", "name": "Crashed", "message": "its worker was killed"}
        self.ask(f"flow_runs/{flow_run}/set_state", {"state": state, "force": True})

    def ask(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Prefect's API, as anybody with the password may ask it."""
        headers = {"Authorization": f"Basic {self._key}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self._api}/{path}", data=data, headers=headers)  # noqa: S310 - loopback
        try:
            with urlopen(request, timeout=10) as answer:  # noqa: S310
                return json.loads(answer.read() or "null")
        except HTTPError as error:
            with error:
                raise OSError(f"{path}: {error.code} {error.read()[:500]!r}") from error

    def working(self) -> bool:
        """Whether the engine is in the middle of documents: a few requests may be probes before the run."""
        engine = self.stack.environment("worker")["ASSAY_ENGINE"]
        try:
            with urlopen(f"{engine}/metrics", timeout=5) as answer:  # noqa: S310
                lines = answer.read().decode().splitlines()
        except (URLError, OSError):
            return False
        running = [line for line in lines if line.startswith("vllm:num_requests_running{")]
        return any(float(line.rsplit(" ", 1)[1]) > 3 for line in running)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What the warehouse answers. Waits while somebody writes."""
        file = self.stack.folder("worker", "/var/lib/assay") / "warehouse.duckdb"
        for _ in range(100):
            try:
                with duckdb.connect(file, read_only=True) as connection:
                    return connection.execute(query).fetchall()
            except duckdb.IOException:
                time.sleep(0.1)
        raise AssertionError(f"{file} stayed locked")

    @property
    def home(self) -> Path:
        """The warehouse volume."""
        return self.stack.folder("worker", "/var/lib/assay")

"""The desk on a port of this machine, as `assay review` serves it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from flows.review.app import build
from flows.review.desk import Desk
from flows.review.guard import Access
from schemas.registry import load as load_registry
from warehouse.store import Warehouse


@contextmanager
def served(home: Path, model: Path | None = None) -> Iterator[str]:
    """Its address."""
    desk = Desk(Warehouse(home), load_registry(None), model=model)
    app = build(desk, Access("ada"), ["127.0.0.1"])
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def rows(home: Path, sql: str) -> list[dict[str, Any]]:
    """What `assay sql` answers."""
    found: list[dict[str, Any]] = Warehouse(home).query(sql).to_pylist()
    return found


def place(home: Path, name: str) -> str:
    """The address of the newest extraction of the document whose name ends so."""
    (row,) = rows(
        home,
        f"""SELECT run_id, document_id FROM extractions JOIN documents USING (document_id)
        WHERE ends_with(uri, '{name}') ORDER BY run_id DESC LIMIT 1""",
    )
    return f"/document/{row['run_id']}/{row['document_id']}"


def pages(home: Path) -> dict[str, str]:
    """Every page of the desk that can be looked at, by a name of its own."""
    (evaluation,) = rows(home, "SELECT evaluation_id AS id FROM evaluation_orders")
    invoices = "(SELECT min(run_id) FROM runs)"
    (attempt,) = rows(
        home,
        f"""SELECT attempt_id AS id, run_id FROM extractions JOIN documents USING (document_id)
        WHERE ends_with(uri, 'quiet.txt') AND run_id = {invoices}""",
    )
    evaluated = f"/evaluations/{evaluation['id']}"
    hostile = {kind: place(home, f"quiet.{kind}") for kind in ("txt", "html", "eml")}
    return {
        "queue": "/",
        "flagged": place(home, "failing-contradictory-totals.txt"),
        "corrupt": place(home, "failing-corrupt.pdf"),
        **{f"hostile {kind}": address for kind, address in hostile.items()},
        **{f"hostile original {kind}": f"{address}/original" for kind, address in hostile.items()},
        "original pdf": f"{place(home, 'rechnung-de.pdf')}/original",
        "original sheet": f"{place(home, 'invoice-sheet.xlsx')}/original",
        "attempt": f"/attempt/{attempt['id']}",
        "runs": "/runs",
        "failures": "/failures?schema=invoice%401",
        "documents": "/documents",
        "documents of a field": "/documents?schema=invoice%401&field=/total&rule=lines_sum_to_total",
        "differences": "/differences",
        "fixed": "/differences?change=fixed",
        "evaluations": "/evaluations",
        "evaluation": evaluated,
        "inputs": f"{evaluated}/inputs?decoding=prompt-greedy&measure=right&field=/total",
        "refused": "/document/x/y",
        "report": f"/reports/run-{attempt['run_id']}.html",
        "evaluation's page": f"/reports/evaluation-{evaluation['id']}.html",
    }

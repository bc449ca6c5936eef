"""Where the desk's pages stand over the warehouse of these tests, and what that holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from warehouse.store import Warehouse


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

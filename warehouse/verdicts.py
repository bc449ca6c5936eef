"""What the gate found on a run, and what follows: a run that failed it no longer counts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import duckdb

from warehouse import runs
from warehouse.rows import now

if TYPE_CHECKING:
    from warehouse.quality import Report, Result

_STATUS = "SELECT status FROM runs WHERE run_id = ?"
# Ended runs of documents that were never measured, because a reader held the database then. Where the gate is
# off, a run is measured all the same; those that are older than the gate are let be.
_UNCHECKED = """
SELECT run_id FROM runs
WHERE status IN ('finished', 'failed') AND kind <> 'evaluate' AND documents > 0
    AND run_id NOT IN (SELECT run_id FROM quality_results UNION ALL SELECT run_id FROM run_metrics)
    AND started_at > (SELECT applied_at FROM migrations WHERE name = '0005_quality')
ORDER BY run_id
"""


def record(connection: duckdb.DuckDBPyConnection, run_id: str, report: Report) -> None:
    """Keep a run's results instead of earlier ones, and quarantine it where they are bad enough.

    Call within a transaction. A run in quarantine stays there: to let it out is a person's decision.
    """
    connection.execute("DELETE FROM quality_results WHERE run_id = ?", [run_id])
    rows = [_row(run_id, number, result) for number, result in enumerate(report.results, 1)]
    places = ", ".join("?" * 11)
    connection.executemany(f"INSERT INTO quality_results VALUES ({places})", rows)
    if not report.passed and connection.execute(_STATUS, [run_id]).fetchall() != [("quarantined",)]:
        runs.quarantine(connection, run_id)


def _row(run_id: str, number: int, result: Result) -> list[object]:
    expectation = result.expectation
    return [
        run_id,
        expectation.suite,
        number,
        expectation.type,
        ", ".join(expectation.metrics) or None,
        json.dumps(dict(expectation.kwargs)),
        expectation.severity,
        result.success,
        json.dumps(dict(result.observed)),
        result.message,
        now(),
    ]


def unchecked(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The ended runs that the gate has not looked at, the oldest first."""
    return [run_id for (run_id,) in connection.execute(_UNCHECKED).fetchall()]

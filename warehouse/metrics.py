"""The few figures of an ended run that the gate looks at, and those of the seven runs before it.

A metric is a name and a number: `documents_in`, `accepted_share`, `null_share:/lines/*/amount`. All shares
lie in 0 to 1. The part behind the colon is a category or a field.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

import duckdb

from schemas.errors import WarehouseError
from schemas.records import Category, Status

TRAILING = 7
_MARKUP = re.compile(r"[^-\w/*~.]")
# Runs that stand for the usual: whole, let through, of the same kind and schema version.
_HISTORY = """
SELECT run_id, map_from_entries(list((metric, value))) FROM run_metrics WHERE run_id IN (
    SELECT older.run_id FROM runs AS older JOIN runs AS this
        ON (older.schema, older.kind) = (this.schema, this.kind) AND older.run_id < this.run_id
    WHERE this.run_id = $run AND older.kind = 'extract' AND older.status = 'finished'
        AND older.run_id IN (SELECT run_id FROM run_metrics)
    ORDER BY older.run_id DESC LIMIT $trailing)
GROUP BY run_id ORDER BY run_id
"""
_KEPT = """
SELECT schema, kind, status, map_from_entries(list((metric, value)))
FROM runs JOIN run_metrics USING (run_id) WHERE run_id = $run AND status <> 'running' GROUP BY ALL
"""
# Documents in are those that a whole run saw, else those that it had an outcome for; where it died without a
# word, those that it staged. One that another run had done under the same recipe meanwhile is out too: its
# extraction stands there. So is one that was purged since: it had come out.
_DOCUMENTS = """
WITH mine AS (FROM extractions WHERE run_id = $run),
staged AS (
    SELECT sum(documents) AS documents, sum(documents - landed) AS elsewhere FROM landings WHERE run_id = $run
)
SELECT
    coalesce(
        (SELECT (counts ->> 'seen')::BIGINT FROM runs
            WHERE run_id = $run AND coalesce(ended_as, status) = 'finished'),
        (SELECT list_sum([coalesce((counts ->> status)::BIGINT, 0) FOR status IN $statuses])
            FROM runs WHERE run_id = $run AND json_keys(counts) && $statuses),
        staged.documents, 0) AS documents_in,
    count(document_id) + coalesce(any_value(staged.elsewhere), 0)
        + coalesce((SELECT (counts ->> 'purged')::BIGINT FROM runs WHERE run_id = $run), 0) AS documents_out,
    count(document_id) - count(DISTINCT document_id) AS repeated_documents
FROM staged LEFT JOIN mine ON true GROUP BY staged.documents
"""
_STATUSES = "SELECT status, count(*) FROM extractions WHERE run_id = $run GROUP BY status"
_CATEGORIES = """
SELECT category, count(*) FROM extractions WHERE run_id = $run AND category IS NOT NULL GROUP BY category
"""
_NULLS = "SELECT field, avg(is_null::INTEGER) FROM fields WHERE run_id = $run GROUP BY field"
_LATENCY = """
SELECT approx_quantile(total_s, 0.5), approx_quantile(total_s, 0.95) FROM attempts WHERE run_id = $run
"""
# How old the newest document was when it was read, and how long nothing had run: both in hours.
_FRESHNESS = """
SELECT date_diff('second', max(sightings.modified), any_value(runs.started_at)) / 3600
FROM runs, sightings SEMI JOIN (FROM extractions WHERE run_id = $run) USING (document_id) WHERE run_id = $run
"""
_PAUSE = """
SELECT date_diff('second', max(older.finished_at), any_value(this.started_at)) / 3600
FROM runs AS this JOIN runs AS older ON older.schema = this.schema AND older.run_id < this.run_id
WHERE this.run_id = $run
"""


@dataclass(frozen=True, slots=True)
class Metrics:
    """One run's figures by name, and those of up to seven runs before it, the oldest first."""

    run_id: str
    schema: str
    kind: str
    status: str
    values: Mapping[str, float]
    history: tuple[Mapping[str, float], ...]


def named(kind: str, part: str) -> str:
    """The name of one of several metrics; what could be mark-up is percent-encoded (RFC 6901, section 6)."""
    return f"{kind}:{_MARKUP.sub(lambda found: quote(found.group()), part)}"


def measure(connection: duckdb.DuckDBPyConnection, run_id: str) -> Metrics:
    """Measure an ended run, and keep its figures; call within a transaction.

    Raises WarehouseError for a run that is unknown or still running.
    """
    found = connection.execute("SELECT schema, kind, status FROM runs WHERE run_id = ?", [run_id]).fetchall()
    if not found or found[0][2] == "running":
        raise WarehouseError(f"there is no run {run_id} that has ended.")
    schema, kind, status = found[0]
    values = _values(connection, run_id)
    connection.execute("DELETE FROM run_metrics WHERE run_id = ?", [run_id])
    sql = "INSERT INTO run_metrics SELECT $run, unnest($names::VARCHAR[]), unnest($values::DOUBLE[])"
    connection.execute(sql, {"run": run_id, "names": list(values), "values": list(values.values())})
    return Metrics(run_id, schema, kind, status, values, _history(connection, run_id))


def kept(connection: duckdb.DuckDBPyConnection, run_id: str) -> Metrics | None:
    """The figures that were kept of an ended run, None where it was not measured."""
    found = connection.execute(_KEPT, {"run": run_id}).fetchall()
    if not found:
        return None
    schema, kind, status, values = found[0]
    return Metrics(run_id, schema, kind, status, values, _history(connection, run_id))


def _history(connection: duckdb.DuckDBPyConnection, run_id: str) -> tuple[Mapping[str, float], ...]:
    rows = connection.execute(_HISTORY, {"run": run_id, "trailing": TRAILING}).fetchall()
    return tuple(values for _, values in rows)


def _values(connection: duckdb.DuckDBPyConnection, run_id: str) -> dict[str, float]:
    """All metrics of a run. One without documents has no shares, one without attempts no latency."""
    found = {
        **_documents(connection, run_id),
        **_shares(connection, run_id),
        **{named("null_share", field): share for field, share in _rows(connection, _NULLS, run_id)},
        **dict(zip(("latency_p50_s", "latency_p95_s"), _row(connection, _LATENCY, run_id), strict=True)),
        "newest_document_age_h": _row(connection, _FRESHNESS, run_id)[0],
        "hours_since_last_run": _row(connection, _PAUSE, run_id)[0],
    }
    return {name: float(value) for name, value in found.items() if value is not None}


def _documents(connection: duckdb.DuckDBPyConnection, run_id: str) -> dict[str, float]:
    parameters = {"run": run_id, "statuses": [str(status) for status in Status]}
    row = connection.execute(_DOCUMENTS, parameters).fetchall()[0]
    return dict(zip(("documents_in", "documents_out", "repeated_documents"), row, strict=True))


def _shares(connection: duckdb.DuckDBPyConnection, run_id: str) -> dict[str, float]:
    statuses = dict(_rows(connection, _STATUSES, run_id))
    categories = dict(_rows(connection, _CATEGORIES, run_id))
    documents = sum(statuses.values())
    if not documents:
        return {}
    counts = {
        "valid_share": statuses.get(Status.ACCEPTED, 0) + statuses.get(Status.FLAGGED, 0),
        **{f"{status}_share": statuses.get(status, 0) for status in Status},
        **{named("category_share", category): categories.get(category, 0) for category in Category},
    }
    return {name: count / documents for name, count in counts.items()}


def _rows(connection: duckdb.DuckDBPyConnection, sql: str, run_id: str) -> list[tuple[str, float]]:
    return connection.execute(sql, {"run": run_id}).fetchall()


def _row(connection: duckdb.DuckDBPyConnection, sql: str, run_id: str) -> tuple[float | None, ...]:
    row: tuple[float | None, ...] = connection.execute(sql, {"run": run_id}).fetchall()[0]
    return row

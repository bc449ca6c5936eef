"""Which extraction counts for a document and schema version: `extractions.is_current`.

It is the one of the newest run that had an answer, or, where none had, of the newest run. One that a person
settled (it is accepted after a review) gives way only to a run that was asked to do all again (`--again`).
Runs in quarantine and evaluations do not count. It is kept as a column, so that views over a million
documents need not look for it.
"""

from __future__ import annotations

import duckdb

from warehouse.materialised import tables

_NEWEST = """
CREATE OR REPLACE TEMP TABLE newest AS
SELECT document_id, schema, coalesce(
    CASE WHEN bool_or(is_settled) THEN max(run_id) FILTER (is_settled OR is_answer AND is_again) END,
    max(run_id) FILTER (is_answer), max(run_id)) AS run_id
FROM (
    SELECT document_id, schema, run_id, status <> 'failed' AND level IS DISTINCT FROM 'read' AS is_answer,
        (run_id, document_id) IN (
            SELECT (run_id, document_id) FROM decided WHERE status = 'accepted') AS is_settled,
        run_id IN (SELECT run_id FROM runs WHERE list_contains(retry, 'accepted')) AS is_again
    FROM extractions
    WHERE document_id IN ({documents})
        AND run_id NOT IN (SELECT run_id FROM runs WHERE status = 'quarantined' OR kind = 'evaluate'))
GROUP BY document_id, schema
"""
_MARK = """
UPDATE {table}
SET is_current = (document_id, schema, run_id) IN (SELECT (document_id, schema, run_id) FROM newest)
WHERE document_id IN ({documents})
"""


def choose(
    connection: duckdb.DuckDBPyConnection, documents: str, parameters: dict[str, str] | None = None
) -> None:
    """Choose again for the documents that the SQL `documents` selects. Call within a transaction."""
    connection.execute(_NEWEST.format(documents=documents), parameters)
    for table in ("extractions", *tables(connection)):
        connection.execute(_MARK.format(table=table, documents=documents), parameters)


def choose_again(connection: duckdb.DuckDBPyConnection, run_id: str, document_id: str) -> None:
    """Choose for one document, after a review of an extraction that did not count; in a transaction."""
    one = {"run": run_id, "document": document_id}
    sql = "SELECT 1 FROM extractions WHERE run_id = $run AND document_id = $document AND NOT is_current"
    if connection.execute(sql, one).fetchall():
        choose(connection, "SELECT $document", {"document": document_id})

"""Which extraction counts for a document and schema version: `extractions.is_current`.

It is the one of the newest run that had an answer, or, where none had, of the newest run; runs in quarantine
and evaluations do not count. It is kept as a column, so that views over a million documents need not look for
it.
"""

from __future__ import annotations

import duckdb

from warehouse.materialised import tables

_NEWEST = """
CREATE OR REPLACE TEMP TABLE newest AS
SELECT document_id, schema,
    coalesce(max(run_id) FILTER (status <> 'failed' AND level IS DISTINCT FROM 'read'), max(run_id)) AS run_id
FROM extractions
WHERE document_id IN ({documents})
    AND run_id NOT IN (SELECT run_id FROM runs WHERE status = 'quarantined' OR kind = 'evaluate')
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

"""The distributions that were computed for an attempt: kept, since they take a model and half a minute."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import duckdb

from warehouse.rows import now

if TYPE_CHECKING:
    from warehouse.asking import Questions

_RANKED = '[{"id": "INTEGER", "text": "VARCHAR", "probability": "DOUBLE"}]'
_KEEP = f"""
INSERT OR REPLACE INTO likelihoods BY NAME
SELECT $attempt AS attempt_id, $document AS document_id, $now AS computed_at, unnest(from_json($rows, '[{{
    "number": "INTEGER", "raw": "DOUBLE", "masked": "DOUBLE", "allowed": "DOUBLE",
    "before": {_RANKED}, "after": {_RANKED}}}]'), recursive := false, max_depth := 2)
WHERE EXISTS (SELECT 1 FROM attempts WHERE attempt_id = $attempt)
"""
_KEPT = """
SELECT number, raw, masked, allowed, before, after FROM likelihoods
WHERE attempt_id = $attempt ORDER BY number
"""


def keep(
    connection: duckdb.DuckDBPyConnection,
    attempt_id: str,
    document_id: str,
    rows: Sequence[dict[str, Any]],
) -> None:
    """Keep a row for each token: the table's columns without the ids; call within a transaction.

    Where the attempt was purged while they were computed, nothing is kept.
    """
    given = {"attempt": attempt_id, "document": document_id, "now": now(), "rows": json.dumps(rows)}
    connection.execute(_KEEP, given)


def kept(ask: Questions, attempt_id: str) -> list[dict[str, Any]]:
    """What was kept of an attempt, a row for each token in order; none where nothing was computed."""
    return ask.rows(_KEPT, {"attempt": attempt_id})

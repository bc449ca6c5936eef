"""The questions behind the desk's comparison of two runs; see the view file `60_run_diff.sql`."""

from __future__ import annotations

from collections.abc import Sequence

from warehouse.asked import Asked

CHANGES = ("fixed", "broken", "changed", "added", "removed", "same")
_ENDED = """
SELECT run_id, kind, schema, started_at FROM runs WHERE status <> 'running'
ORDER BY run_id DESC LIMIT 200
"""
_PAIRS = """
WITH pairs AS (
    FROM run_pairs($a, $b) WHERE change = $change ORDER BY document_id LIMIT $most OFFSET $skip)
SELECT pairs.*, coalesce(documents.uri, pairs.document_id) AS uri
FROM pairs LEFT JOIN documents USING (document_id) ORDER BY pairs.document_id
"""


def ended() -> Asked:
    """The runs to choose from, the newest first."""
    return Asked(_ENDED)


def summary(a: str, b: str) -> Asked:
    """How many documents changed in which way from run `a` to run `b`."""
    return Asked("FROM run_diff_summary($a, $b)", {"a": a, "b": b})


def pairs(a: str, b: str, change: str, most: int, skip: int) -> Asked:
    """The documents that changed in one way, a page of them, with their outcome in each run."""
    return Asked(_PAIRS, {"a": a, "b": b, "change": change, "most": most, "skip": skip})


def leaves(a: str, b: str, documents: Sequence[str]) -> Asked:
    """The values of these documents that are not the same in both runs."""
    sql = """
SELECT document_id, pointer, old_value, new_value FROM run_leaves($a, $b)
WHERE document_id IN (SELECT unnest($documents::VARCHAR[])) ORDER BY document_id, pointer"""
    return Asked(sql, {"a": a, "b": b, "documents": list(documents)})

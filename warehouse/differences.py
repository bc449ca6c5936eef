"""The questions behind the desk's comparison of two runs; see the view file `60_run_diff.sql`."""

from __future__ import annotations

from collections.abc import Sequence

from warehouse.asked import Asked

CHANGES = ("fixed", "broken", "changed", "added", "removed", "same")
_ENDED = """
SELECT run_id, kind, schema, started_at FROM runs WHERE status <> 'running'
ORDER BY run_id DESC LIMIT 200
"""
# What each run drew, whatever a person put right since.
_ANSWERS = """
SELECT document_id, old.value::VARCHAR AS old, new.value::VARCHAR AS new
FROM extractions AS old JOIN extractions AS new USING (document_id)
WHERE old.run_id = $a AND new.run_id = $b ORDER BY document_id
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


def changes(a: str, b: str, most: int) -> Asked:
    """What changed from run `a` to run `b`, a row for each place."""
    return Asked("FROM run_diff($a, $b) LIMIT $most", {"a": a, "b": b, "most": most})


def schemas(a: str, b: str) -> Asked:
    """The schema versions of the two runs."""
    sql = "SELECT schema FROM runs WHERE run_id IN ($a, $b) GROUP BY schema"
    return Asked(sql, {"a": a, "b": b})


def answers(a: str, b: str) -> Asked:
    """Both answers, as JSON text, of each document that both runs have."""
    return Asked(_ANSWERS, {"a": a, "b": b})

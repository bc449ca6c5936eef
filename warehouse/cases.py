"""The questions behind one extraction on the review desk."""

from __future__ import annotations

from warehouse.asked import Asked

_CASE = """
SELECT outcomes.*, outcomes.value::VARCHAR AS answer, documents.uri, documents.media_type, documents.text,
    coalesce((SELECT max(review_id) FROM reviews
        WHERE run_id = $run AND document_id = $document), '') AS version
FROM outcomes JOIN documents USING (document_id) WHERE run_id = $run AND document_id = $document
"""
_FINDINGS = "SELECT * FROM findings WHERE run_id = $run AND document_id = $document"
_HISTORY = """
SELECT decision, pointer, status, who, reviewed_at FROM reviews
WHERE run_id = $run AND document_id = $document ORDER BY review_id DESC
"""
_RAW = "SELECT text FROM attempts WHERE attempt_id = $attempt"


def case(run_id: str, document_id: str) -> Asked:
    """The extraction as it stands, with its document; `version` names the newest decision on it."""
    return Asked(_CASE, {"run": run_id, "document": document_id})


def findings(run_id: str, document_id: str) -> Asked:
    """What the checks found in the run."""
    return Asked(_FINDINGS, {"run": run_id, "document": document_id})


def history(run_id: str, document_id: str) -> Asked:
    """What was decided on it, the newest first."""
    return Asked(_HISTORY, {"run": run_id, "document": document_id})


def raw(attempt_id: str) -> Asked:
    """An attempt's text as it was drawn."""
    return Asked(_RAW, {"attempt": attempt_id})

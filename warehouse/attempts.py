"""The questions behind one attempt, token by token."""

from __future__ import annotations

from warehouse.asked import Asked

_CALLED = """
SELECT a.attempt_id, a.run_id, a.document_id, a.number, a.prompt_tokens, a.ending, a.tokens,
    d.text AS document, e.decoding, e.model, e.schema, e.prompt_fingerprint, v.json_schema
FROM attempts a
JOIN runs r USING (run_id)
JOIN recipes e ON e.recipe_id = r.recipe_id
JOIN schema_versions v ON v.schema = e.schema AND v.fingerprint = e.schema_fingerprint
JOIN documents d ON d.document_id = a.document_id
WHERE starts_with(a.attempt_id, lower($given)) LIMIT 3
"""
_SIBLINGS = """
SELECT attempt_id, number, sample, chosen, ending FROM attempts
WHERE (run_id, document_id) IN (SELECT (run_id, document_id) FROM attempts WHERE attempt_id = $attempt)
ORDER BY number, sample
"""


def called(given: str) -> Asked:
    """The attempts whose ids start with `given`, three at most, each with what it was made with."""
    return Asked(_CALLED, {"given": given})


def siblings(attempt_id: str) -> Asked:
    """All attempts for the same document in the same run, in order."""
    return Asked(_SIBLINGS, {"attempt": attempt_id})

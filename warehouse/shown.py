"""One document as a person asks for it: by what it is called, with its outcome and what was decided on it."""

from __future__ import annotations

from typing import Any

from warehouse.asking import Questions

MOST = 6
"""Documents of one name that are looked up."""
# An attachment was seen where its mail was: that address is the mail's.
_CALLED = f"""
SELECT document_id, min(uri) AS uri FROM (
    SELECT document_id, uri FROM documents UNION ALL
    SELECT seen.document_id, seen.uri FROM sightings AS seen JOIN documents USING (document_id)
    LEFT JOIN sightings AS mail ON mail.document_id = documents.parent_id AND mail.uri = seen.uri
    WHERE mail.uri IS NULL)
WHERE starts_with(document_id, lower($given)) OR uri = $given OR ends_with(uri, '/' || $given)
GROUP BY document_id ORDER BY uri LIMIT {MOST}
"""
_BURIED = f"""
SELECT document_id, arg_max(reason, purged_at) AS reason, arg_max(who, purged_at) AS who,
    max(purged_at) AS purged_at
FROM tombstones WHERE starts_with(document_id, lower($given)) GROUP BY document_id LIMIT {MOST}
"""
# As it stands now, beside how its run had it. Without a run, what counts comes before what does not.
_OUTCOME = """
SELECT d.document_id, d.uri, d.parent_id, d.media_type, d.bytes, d.text, d.page_starts, d.reader,
    e.run_id, e.recipe_id, e.schema, now.status, now.level, now.category, e.message, now.value, e.attempts,
    e.attempt_id, now.reviewed_by, now.reviewed_at,
    {status: e.status, level: e.level, category: e.category, value: e.value} AS drawn
FROM extractions AS e JOIN outcomes AS now USING (run_id, document_id) JOIN documents AS d USING (document_id)
WHERE e.document_id = $document AND ($run IS NULL OR e.run_id = $run)
ORDER BY e.is_current DESC, e.finished_at DESC, e.run_id DESC LIMIT 1
"""
_PARTS = {
    "fields": """
        SELECT pointer, value, is_null, grounding, score, span_start, span_end, logprob, removed_mass
        FROM fields WHERE document_id = $document AND run_id = $run""",
    "findings": """
        SELECT level, rule, pointer, severity, category, message, expected, found, span_start, span_end
        FROM findings WHERE document_id = $document AND run_id = $run""",
    "decisions": """
        SELECT decision, pointer,
            if(pointer = '' OR decision = 'removed', NULL, json_extract(value, pointer))::VARCHAR AS value,
            status, who, reviewed_at
        FROM reviews WHERE document_id = $document AND run_id = $run ORDER BY review_id DESC""",
}


def called(ask: Questions, given: str) -> list[dict[str, Any]]:
    """Id and address of the documents that `given` begins the id of, or names; no more than MOST."""
    return ask.rows(_CALLED, {"given": given})


def buried(ask: Questions, given: str) -> list[dict[str, Any]]:
    """The last tombstone of each purged document whose id `given` begins; no more than MOST."""
    return ask.rows(_BURIED, {"given": given})


def buried_count(ask: Questions) -> int:
    """How many documents were purged."""
    return int(ask.rows("SELECT count(DISTINCT document_id) AS n FROM tombstones")[0]["n"])


def outcome(ask: Questions, document_id: str, run_id: str | None = None) -> dict[str, Any] | None:
    """A document's outcome in a run, or the one that counts; None where there is none.

    It has its `fields`, `findings` and `decisions` (the newest first), values as JSON text. `drawn` is what
    the run had, None where nobody decided on it.
    """
    rows = ask.rows(_OUTCOME, {"document": document_id, "run": run_id})
    if not rows:
        return None
    key = {"document": document_id, "run": rows[0]["run_id"]}
    drawn = rows[0]["drawn"] if rows[0]["reviewed_at"] else None
    return {**rows[0], "drawn": drawn, **{name: ask.rows(sql, key) for name, sql in _PARTS.items()}}

"""Which answers make training examples, and which documents are held out of them."""

from __future__ import annotations

from warehouse.asked import Asked

# A label without an attempt is from a file of labels, and so part of an evaluation; one with an attempt is a
# person's word on an answer. What was measured is held out, and so is any document of the same text.
_ROWS = """
WITH folded AS (
    SELECT document_id, sha256(lower(regexp_replace(text, '\\s+', ' ', 'g'))) AS same_text
    FROM documents WHERE category IS NULL
),
held_out AS (
    SELECT document_id FROM evaluation_inputs UNION
    SELECT document_id FROM labels WHERE attempt_id IS NULL
),
held_texts AS (SELECT same_text FROM folded SEMI JOIN held_out USING (document_id)),
corrected AS (
    SELECT document_id, list({pointer: pointer, value: value::VARCHAR} ORDER BY label_id) AS labels
    FROM labels WHERE schema = $schema AND attempt_id IS NOT NULL GROUP BY document_id
)
SELECT document_id, current.value::VARCHAR AS value, drawn.value::VARCHAR AS drawn, corrected.labels,
    same_text IN (FROM held_texts) AS is_held_out
FROM current JOIN extractions AS drawn USING (run_id, document_id) JOIN folded USING (document_id)
    LEFT JOIN corrected USING (document_id)
WHERE current.schema = $schema AND current.value IS NOT NULL
    AND (current.status = 'accepted' OR corrected.labels IS NOT NULL)
ORDER BY document_id
"""


def examples(schema: str) -> Asked:
    """The current answers of a schema version that were accepted or corrected, each with its labels as given.

    `value` is the answer as it stands, `drawn` as the model gave it; `is_held_out` says that it was measured.
    """
    return Asked(_ROWS, {"schema": schema})

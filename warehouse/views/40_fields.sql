-- How often each field is null, and how often the source plainly held candidates for it then.
CREATE OR REPLACE VIEW nulls AS
WITH hints AS (
    SELECT DISTINCT run_id, document_id, pointer FROM findings
    WHERE severity = 'info' AND level = 'grounding'
),
answers AS (
    SELECT fields.schema, fields.field, fields.is_null,
        fields.is_null AND hints.pointer IS NOT NULL AS with_candidates
    FROM fields SEMI JOIN current USING (run_id, document_id)
    LEFT JOIN hints USING (run_id, document_id, pointer)
)
SELECT schema, field, count(*) AS answers, count(*) FILTER (is_null) AS nulls,
    count(*) FILTER (is_null) / count(*) AS share, count(*) FILTER (with_candidates) AS with_candidates
FROM answers GROUP BY ALL ORDER BY share DESC, schema, field;

-- How often each field is null, and how often the source plainly held candidates for it then.
CREATE OR REPLACE VIEW nulls AS
SELECT schema, field, count(*) AS answers, count(*) FILTER (is_null) AS nulls,
    count(*) FILTER (is_null) / count(*) AS share, count(*) FILTER (has_candidates) AS with_candidates
FROM fields ANTI JOIN (FROM extractions WHERE NOT is_current) USING (run_id, document_id)
GROUP BY ALL ORDER BY share DESC, schema, field;

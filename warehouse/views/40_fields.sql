-- The values of what people decided on, as they stand now. The reasoning is no answer.
CREATE OR REPLACE VIEW decided_leaves AS
SELECT decided.run_id, decided.document_id, decided.schema,
    regexp_replace(tree.fullkey[2:], '\.("[^"]*"|[^.\[]+)', '/\1', 'g').replace('"', '') AS place,
    regexp_replace(place, '\[(\d+)\]', '/\1', 'g') AS pointer,
    regexp_replace(place, '\[\d+\]', '/*', 'g') AS field, tree.type = 'NULL' AS is_null
FROM decided, json_tree(decided.value) AS tree
WHERE tree.type NOT IN ('OBJECT', 'ARRAY') AND tree.fullkey <> '$.reasoning';

-- How often each field is null in what is current, and how often the source plainly held candidates for it then.
CREATE OR REPLACE VIEW nulls AS
WITH leaves AS (
    SELECT schema, field, is_null, has_candidates
    FROM fields ANTI JOIN (
        SELECT run_id, document_id FROM extractions WHERE NOT is_current
        UNION ALL SELECT run_id, document_id FROM reviews) USING (run_id, document_id)
    UNION ALL
    SELECT put.schema, put.field, put.is_null, put.is_null AND coalesce(drawn.has_candidates, false)
    FROM decided_leaves AS put ANTI JOIN (FROM extractions WHERE NOT is_current) USING (run_id, document_id)
        LEFT JOIN (FROM fields WHERE has_candidates) AS drawn USING (run_id, document_id, pointer)
)
SELECT schema, field, count(*) AS answers, count(*) FILTER (is_null) AS nulls,
    count(*) FILTER (is_null) / count(*) AS share, count(*) FILTER (has_candidates) AS with_candidates
FROM leaves GROUP BY ALL ORDER BY share DESC, schema, field;

-- What did not succeed, by run. `share` is of all documents of the run, `example` the URI of one such document.
CREATE OR REPLACE VIEW failures_by_run AS
WITH sizes AS (SELECT run_id, count(*) AS documents FROM extractions GROUP BY run_id),
counted AS (
    SELECT run_id, schema, level, category, count(*) AS documents, min(document_id) AS document_id
    FROM extractions WHERE category IS NOT NULL GROUP BY ALL
)
SELECT counted.run_id, counted.schema, counted.level, counted.category, counted.documents,
    counted.documents / sizes.documents AS share,
    coalesce(documents.uri, counted.document_id) AS example
FROM counted JOIN sizes USING (run_id) LEFT JOIN documents USING (document_id)
ORDER BY counted.run_id DESC, counted.documents DESC, counted.category;

-- The same over all current extractions.
CREATE OR REPLACE VIEW failures AS
WITH counted AS (
    SELECT level, category, count(*) AS documents, min(document_id) AS document_id
    FROM current WHERE category IS NOT NULL GROUP BY ALL
)
SELECT counted.level, counted.category, counted.documents,
    counted.documents / (SELECT count(*) FROM extractions WHERE is_current) AS share,
    coalesce(documents.uri, counted.document_id) AS example
FROM counted LEFT JOIN documents USING (document_id)
ORDER BY counted.documents DESC, counted.category;

-- Which field of which schema version an error is about; a document with ten bad lines counts once.
-- The few extractions that no longer count are taken out, because joining the many that do would cost more.
CREATE OR REPLACE VIEW failures_by_field AS
WITH sizes AS (SELECT schema, count(*) AS documents FROM extractions WHERE is_current GROUP BY schema),
counted AS (
    SELECT findings.schema, findings.field, findings.level, findings.category, findings.rule,
        count(DISTINCT findings.document_id) AS documents, min(findings.document_id) AS document_id,
        any_value(findings.message) AS message
    FROM findings ANTI JOIN (FROM extractions WHERE NOT is_current) USING (run_id, document_id)
    WHERE findings.severity = 'error' GROUP BY ALL
)
SELECT counted.schema, counted.field, counted.level, counted.category, counted.rule, counted.documents,
    counted.documents / sizes.documents AS share, counted.message,
    coalesce(documents.uri, counted.document_id) AS example
FROM counted JOIN sizes USING (schema) LEFT JOIN documents USING (document_id)
ORDER BY counted.documents DESC, counted.schema, counted.field;

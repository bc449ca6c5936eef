-- What did not succeed, by run, as the run ended: reviews change nothing of it. `share` is of all documents of the
-- run, `example` the URI of one such document.
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

-- The same over all current extractions, as they stand now. The few that a person decided on are counted by
-- themselves: so the many others need no join.
CREATE OR REPLACE VIEW failures AS
WITH standing AS (
    SELECT level, category, document_id FROM extractions ANTI JOIN decided USING (run_id, document_id)
    WHERE is_current AND category IS NOT NULL
    UNION ALL
    SELECT decided.level, decided.category, document_id FROM extractions JOIN decided USING (run_id, document_id)
    WHERE is_current AND decided.category IS NOT NULL
),
counted AS (
    SELECT level, category, count(*) AS documents, min(document_id) AS document_id FROM standing GROUP BY ALL
)
SELECT counted.level, counted.category, counted.documents,
    counted.documents / (SELECT count(*) FROM extractions WHERE is_current) AS share,
    coalesce(documents.uri, counted.document_id) AS example
FROM counted LEFT JOIN documents USING (document_id)
ORDER BY counted.documents DESC, counted.category;

-- The errors of what is current, less those that a person settled: all of an answer that is accepted now, those at
-- a place that was put right, and those of form where the answer fits its schema now. The few extractions that no
-- longer count are taken out, because joining the many that do would cost more.
CREATE OR REPLACE VIEW standing_errors AS
SELECT findings.* FROM findings ANTI JOIN (FROM extractions WHERE NOT is_current) USING (run_id, document_id)
    ANTI JOIN reviews USING (run_id, document_id, pointer)
    ANTI JOIN decided ON decided.run_id = findings.run_id AND decided.document_id = findings.document_id
        AND (decided.status = 'accepted'
            OR decided.status = 'flagged' AND findings.level NOT IN ('consistency', 'grounding', 'correctness'))
WHERE findings.severity = 'error';

-- Which field of which schema version an error is about; a document with ten bad lines counts once.
CREATE OR REPLACE VIEW failures_by_field AS
WITH sizes AS (SELECT schema, count(*) AS documents FROM extractions WHERE is_current GROUP BY schema),
counted AS (
    SELECT schema, field, level, category, rule, count(DISTINCT document_id) AS documents,
        min(document_id) AS document_id, any_value(message) AS message
    FROM standing_errors GROUP BY ALL
)
SELECT counted.schema, counted.field, counted.level, counted.category, counted.rule, counted.documents,
    counted.documents / sizes.documents AS share, counted.message,
    coalesce(documents.uri, counted.document_id) AS example
FROM counted JOIN sizes USING (schema) LEFT JOIN documents USING (document_id)
ORDER BY counted.documents DESC, counted.schema, counted.field;

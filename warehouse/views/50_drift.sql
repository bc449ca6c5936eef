-- Each run of new documents against the up to 7 runs before it of the same schema version: the share that is
-- valid, the share of each category, how often each field is null, and the latency. `earlier` is the share
-- over all documents of those runs together, or the mean of their latencies. `z` says how many standard errors
-- a share is away from it (two proportions, pooled); beyond 3 either way, look. A run in quarantine has its rows,
-- for it is the one that drifted, and is no part of what is usual.
CREATE OR REPLACE VIEW drift AS
WITH nightly AS (
    SELECT run_id, schema, recipe_id, started_at, status = 'finished' AS usual FROM runs
    WHERE kind = 'extract' AND (status = 'finished' OR status = 'quarantined' AND ended_as = 'finished')
),
sizes AS (
    SELECT run_id, count(*) AS documents,
        count(*) FILTER (status IN ('accepted', 'flagged')) AS valid
    FROM extractions SEMI JOIN nightly USING (run_id) GROUP BY run_id
),
-- A category that a run did not have has its row there too, with a share of 0.
kinds AS (
    SELECT DISTINCT schema, category FROM extractions SEMI JOIN nightly USING (run_id)
    WHERE category IS NOT NULL
),
categories AS (
    SELECT run_id, category, count(*) AS found FROM extractions SEMI JOIN nightly USING (run_id)
    WHERE category IS NOT NULL GROUP BY ALL
),
leaves AS (
    SELECT run_id, field, count(*) AS answers, count(*) FILTER (is_null) AS nulls
    FROM fields SEMI JOIN nightly USING (run_id) GROUP BY ALL
),
shares AS (
    SELECT run_id, 'validity' AS measure, '' AS item, valid AS found, documents AS of_all FROM sizes
    UNION ALL
    SELECT run_id, 'category', category, coalesce(found, 0), documents
    FROM nightly JOIN sizes USING (run_id) JOIN kinds USING (schema) LEFT JOIN categories USING (run_id, category)
    UNION ALL
    SELECT run_id, 'null', field, nulls, answers FROM leaves
),
windowed AS (
    SELECT nightly.*, measure, item, found, of_all, found / of_all AS value,
        count(*) FILTER (usual) OVER runs_before AS earlier_runs,
        sum(found) FILTER (usual) OVER runs_before AS before_found,
        sum(of_all) FILTER (usual) OVER runs_before AS before_all
    FROM nightly JOIN shares USING (run_id)
    WINDOW runs_before AS (
        PARTITION BY schema, measure, item ORDER BY run_id ROWS BETWEEN 7 PRECEDING AND 1 PRECEDING)
),
compared AS (
    SELECT *, before_found / before_all AS earlier,
        (found + before_found) / (of_all + before_all) AS pooled
    FROM windowed
),
latencies AS (
    SELECT run_id, unnest(['latency_p50', 'latency_p95']) AS measure, unnest([total_p50, total_p95]) AS value
    FROM latency
)
SELECT run_id, schema, recipe_id, started_at, measure, item, of_all::BIGINT AS answers, value, earlier,
    value - earlier AS change, earlier_runs,
    (value - earlier) / nullif(sqrt(pooled * (1 - pooled) * (1 / of_all + 1 / before_all)), 0) AS z
FROM compared
UNION ALL
SELECT run_id, schema, recipe_id, started_at, measure, '', NULL, value, avg(value) FILTER (usual) OVER runs_before,
    value - avg(value) FILTER (usual) OVER runs_before, count(*) FILTER (usual) OVER runs_before, NULL
FROM nightly JOIN latencies USING (run_id)
WINDOW runs_before AS (PARTITION BY schema, measure ORDER BY run_id ROWS BETWEEN 7 PRECEDING AND 1 PRECEDING)
ORDER BY run_id DESC, measure, item;

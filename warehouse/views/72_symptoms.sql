-- One row for each symptom: whether it applies, how often it was seen, the five largest groups as evidence, and
-- the view that holds the rest. They tell how answers were drawn, which no review changes.
CREATE OR REPLACE VIEW symptoms AS
WITH answered AS (
    SELECT count(*) FILTER (status <> 'failed') AS documents,
        count(*) FILTER (level = 'schema') AS off_schema FROM extractions WHERE is_current
),
cut AS MATERIALIZED (FROM unparsed),
missed AS MATERIALIZED (FROM off_schema),
low AS MATERIALIZED (FROM low_scores WHERE fit_share >= 0.95 AND (accepted_share < 0.8 OR exact_share < 0.8)),
low_recipes AS (
    SELECT schema, recipe_id, any_value(fits) AS fits,
        greatest(any_value(fits - accepted), round(any_value(fits * (1 - exact_share)))::BIGINT) AS cases
    FROM low GROUP BY ALL
),
changes AS MATERIALIZED (FROM greedy_changes),
split AS MATERIALIZED (FROM guided_disagreements),
found AS (
    SELECT 'outputs do not parse' AS symptom, 'attempts' AS unit, coalesce(sum(attempts), 0)::BIGINT AS cases,
        (SELECT count(*) FROM attempts) AS seen,
        (SELECT to_json(list(top)) FROM (FROM cut ORDER BY attempts DESC LIMIT 5) AS top) AS evidence,
        'FROM unparsed' AS look
    FROM cut
    UNION ALL
    SELECT 'outputs parse but miss the schema', 'documents', off_schema, documents,
        (SELECT to_json(list(top)) FROM (FROM missed ORDER BY documents DESC LIMIT 5) AS top), 'FROM off_schema'
    FROM answered
    UNION ALL
    SELECT 'outputs fit but score low', 'documents', coalesce(sum(cases), 0)::BIGINT,
        coalesce(sum(fits), 0)::BIGINT,
        (SELECT to_json(list(top)) FROM (FROM low ORDER BY unfound_share DESC, removed_mass DESC LIMIT 5) AS top),
        'FROM low_scores'
    FROM low_recipes
    UNION ALL
    SELECT 'identical greedy runs differ', 'documents', coalesce(sum(changed), 0)::BIGINT,
        coalesce(sum(documents), 0)::BIGINT,
        (SELECT to_json(list(top)) FROM (FROM changes WHERE changed > 0 ORDER BY changed DESC LIMIT 5) AS top),
        'FROM greedy_changes'
    FROM changes
    UNION ALL
    SELECT 'guided and unguided disagree', 'documents', coalesce(sum(differ), 0)::BIGINT,
        coalesce(sum(documents), 0)::BIGINT,
        (SELECT to_json(list(top)) FROM (FROM split WHERE differ > 0 ORDER BY differ DESC LIMIT 5) AS top),
        'FROM guided_disagreements'
    FROM split
)
SELECT symptom, cases > 0 AS applies, cases, seen, unit, cases / nullif(seen, 0) AS share,
    coalesce(evidence, '[]'::JSON) AS evidence, look
FROM found;

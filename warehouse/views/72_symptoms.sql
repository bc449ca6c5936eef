-- One row for each symptom: whether it applies, how often it was seen, the five largest groups as evidence, and
-- the view that holds the rest.
CREATE OR REPLACE VIEW symptoms AS
WITH answered AS (
    SELECT count(*) FILTER (status <> 'failed') AS documents,
        count(*) FILTER (level = 'schema') AS off_schema FROM current
),
low AS (FROM low_scores WHERE fit_share >= 0.95 AND accepted_share < 0.8),
low_recipes AS (SELECT schema, recipe_id, any_value(fits) AS fits, any_value(accepted) AS accepted FROM low GROUP BY ALL),
found AS (
    SELECT 'outputs do not parse' AS symptom, 'attempts' AS unit, coalesce(sum(attempts), 0)::BIGINT AS cases,
        (SELECT count(*) FROM attempts) AS seen,
        (SELECT to_json(list(top)) FROM (FROM unparsed LIMIT 5) AS top) AS evidence, 'FROM unparsed' AS look
    FROM unparsed
    UNION ALL
    SELECT 'outputs parse but miss the schema', 'documents', off_schema, documents,
        (SELECT to_json(list(top)) FROM (FROM off_schema LIMIT 5) AS top), 'FROM off_schema'
    FROM answered
    UNION ALL
    SELECT 'outputs fit but score low', 'documents', coalesce(sum(fits - accepted), 0)::BIGINT,
        coalesce(sum(fits), 0)::BIGINT,
        (SELECT to_json(list(top)) FROM (FROM low ORDER BY unfound_share DESC, removed_mass DESC LIMIT 5) AS top),
        'FROM low_scores'
    FROM low_recipes
    UNION ALL
    SELECT 'identical greedy runs differ', 'documents', coalesce(sum(changed), 0)::BIGINT,
        coalesce(sum(documents), 0)::BIGINT,
        (SELECT to_json(list(top)) FROM (FROM greedy_changes WHERE changed > 0 LIMIT 5) AS top), 'FROM greedy_changes'
    FROM greedy_changes
    UNION ALL
    SELECT 'guided and unguided disagree', 'documents', coalesce(sum(differ), 0)::BIGINT,
        coalesce(sum(documents), 0)::BIGINT,
        (SELECT to_json(list(top)) FROM (FROM guided_disagreements WHERE differ > 0 LIMIT 5) AS top),
        'FROM guided_disagreements'
    FROM guided_disagreements
)
SELECT symptom, cases > 0 AS applies, cases, seen, unit, cases / nullif(seen, 0) AS share,
    coalesce(evidence, '[]'::JSON) AS evidence, look
FROM found;

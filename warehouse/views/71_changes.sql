-- Answers that differ though the input was the same. The reasoning is left out: it is not part of the answer.

-- Documents that one greedy recipe has done more than once, and how many of them ended in another way. At least
-- one of two extractions of a document under one recipe no longer counts: these few are looked up from there.
CREATE OR REPLACE VIEW greedy_changes AS
WITH greedy AS (FROM recipes WHERE (decoding ->> 'temperature')::DOUBLE = 0),
older AS (
    SELECT run_id, document_id, recipe_id, status, value FROM extractions SEMI JOIN greedy USING (recipe_id)
    WHERE NOT is_current AND status <> 'failed'
),
pairs AS (
    SELECT older.recipe_id, older.document_id, min(older.run_id) AS first_run, max(newer.run_id) AS last_run,
        bool_or(older.status <> newer.status OR older.value IS DISTINCT FROM newer.value
            AND json_merge_patch(older.value, '{"reasoning":null}')
                IS DISTINCT FROM json_merge_patch(newer.value, '{"reasoning":null}')) AS changed
    FROM extractions AS newer JOIN older USING (document_id, recipe_id)
    WHERE newer.run_id > older.run_id AND newer.status <> 'failed'
    GROUP BY older.recipe_id, older.document_id
)
SELECT greedy.schema, pairs.recipe_id, greedy.decoding ->> 'mode' AS mode, greedy.decoding ->> 'backend' AS backend,
    count(*) AS documents, count(*) FILTER (changed) AS changed, count(*) FILTER (changed) / count(*) AS share,
    arg_max(first_run, (changed, last_run)) AS first_run, arg_max(last_run, (changed, last_run)) AS last_run,
    min(document_id) FILTER (changed) AS example
FROM pairs JOIN greedy USING (recipe_id)
GROUP BY ALL ORDER BY changed DESC, pairs.recipe_id;

-- Documents that one model has done under one schema version both guided and not: how often the answers differ,
-- and which side then holds better against the checks. The newest answer of each side counts.
CREATE OR REPLACE VIEW guided_disagreements AS
WITH sides AS (
    SELECT recipe_id, min(recipe_id) OVER same AS family, decoding ->> 'mode' AS mode,
        decoding ->> 'mode' = 'guided' AS guided,
        bool_or(decoding ->> 'mode' = 'guided') OVER same AND bool_or(decoding ->> 'mode' <> 'guided') OVER same AS both_ways
    FROM recipes WINDOW same AS (PARTITION BY schema, model)
),
-- Of the answers for a document at most one is current, so the others lead to those that have more than one.
repeated AS (
    SELECT run_id, document_id, recipe_id, schema, status, value FROM extractions
        SEMI JOIN (FROM extractions WHERE NOT is_current) USING (document_id)
    WHERE status <> 'failed'
),
newest AS (
    SELECT schema, family, document_id, guided, max(run_id) AS run_id, arg_max(mode, run_id) AS mode,
        arg_max(status, run_id) AS status, arg_max(value, run_id) AS value
    FROM repeated JOIN sides USING (recipe_id) WHERE both_ways GROUP BY ALL
),
valid AS (
    SELECT tight.schema, loose.mode, document_id, tight.run_id AS guided_run, loose.run_id AS unguided_run,
        tight.status AS guided_status, loose.status AS unguided_status,
        json_merge_patch(tight.value, '{"reasoning":null}')
            IS DISTINCT FROM json_merge_patch(loose.value, '{"reasoning":null}') AS differ
    FROM newest AS tight JOIN newest AS loose USING (family, document_id)
    WHERE tight.guided AND NOT loose.guided
        AND tight.status IN ('accepted', 'flagged') AND loose.status IN ('accepted', 'flagged')
)
SELECT schema, mode AS unguided_mode, count(*) AS documents, count(*) FILTER (differ) AS differ,
    count(*) FILTER (differ) / count(*) AS share,
    count(*) FILTER (differ AND guided_status = 'accepted') AS guided_accepted,
    count(*) FILTER (differ AND unguided_status = 'accepted') AS unguided_accepted,
    max(guided_run) AS guided_run, max(unguided_run) AS unguided_run, min(document_id) FILTER (differ) AS example
FROM valid GROUP BY ALL ORDER BY differ DESC, schema, unguided_mode;

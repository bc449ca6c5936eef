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
    SELECT recipe_id, schema, min(recipe_id) OVER same AS family, decoding ->> 'mode' AS mode,
        decoding ->> 'mode' = 'guided' AS guided,
        bool_or(decoding ->> 'mode' = 'guided') OVER same AND bool_or(decoding ->> 'mode' <> 'guided') OVER same AS both_ways
    FROM recipes WINDOW same AS (PARTITION BY schema, model)
),
loose AS MATERIALIZED (
    SELECT document_id, family, max(run_id) AS run_id, arg_max(mode, run_id) AS mode
    FROM extractions JOIN sides USING (recipe_id)
    WHERE both_ways AND NOT guided AND status <> 'failed' GROUP BY ALL
),
tight AS (
    SELECT document_id, family, max(run_id) AS run_id
    FROM extractions JOIN sides USING (recipe_id) SEMI JOIN loose USING (document_id)
    WHERE both_ways AND guided AND status <> 'failed' GROUP BY ALL
),
pairs AS (
    SELECT document_id, loose.mode, tight.run_id AS guided_run, loose.run_id AS unguided_run
    FROM loose JOIN tight USING (document_id, family)
),
-- The answers themselves are read for these pairs only.
valid AS (
    SELECT pairs.*, one.schema, one.status AS guided_status, other.status AS unguided_status,
        json_merge_patch(one.value, '{"reasoning":null}')
            IS DISTINCT FROM json_merge_patch(other.value, '{"reasoning":null}') AS differ
    FROM pairs
        JOIN extractions AS one ON (one.run_id, one.document_id) = (pairs.guided_run, pairs.document_id)
        JOIN extractions AS other ON (other.run_id, other.document_id) = (pairs.unguided_run, pairs.document_id)
    WHERE one.status IN ('accepted', 'flagged') AND other.status IN ('accepted', 'flagged')
)
SELECT schema, mode AS unguided_mode, count(*) AS documents, count(*) FILTER (differ) AS differ,
    count(*) FILTER (differ) / count(*) AS share,
    count(*) FILTER (differ AND guided_status = 'accepted') AS guided_accepted,
    count(*) FILTER (differ AND unguided_status = 'accepted') AS unguided_accepted,
    max(guided_run) AS guided_run, max(unguided_run) AS unguided_run, min(document_id) FILTER (differ) AS example
FROM valid GROUP BY ALL ORDER BY differ DESC, schema, unguided_mode;

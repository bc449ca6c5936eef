-- The tell-tales of a pipeline gone wrong. One view with the figures of each, and `symptoms` with a row for each.

-- The runs whose answers still count; older ones tell of troubles that were cured.
CREATE OR REPLACE VIEW current_runs AS
SELECT runs.run_id, runs.schema, runs.recipe_id, runs.started_at, recipes.decoding ->> 'mode' AS mode,
    recipes.decoding ->> 'name' AS decoding,
    recipes.decoding ->> 'backend' AS backend, (recipes.decoding ->> 'temperature')::DOUBLE AS temperature,
    recipes.schema_fingerprint, recipes.prompt_fingerprint, recipes.model
FROM runs LEFT JOIN recipes USING (recipe_id)
SEMI JOIN (SELECT DISTINCT run_id FROM extractions WHERE is_current) USING (run_id);

-- The leaves that a schema version asks for: their place in the order of generation, and whether only listed
-- answers are allowed. From the newest registered text of each version.
CREATE OR REPLACE VIEW schema_fields AS
WITH newest AS (SELECT schema, arg_max(json_schema, registered_at) AS json_schema FROM schema_versions GROUP BY schema),
nodes AS (
    SELECT newest.schema, tree.id, tree.value,
        regexp_replace(tree.fullkey, '\.anyOf\[\d+\]', '', 'g')
            .regexp_replace('\.properties\.("[^"]*"|[^.\[]+)', '/\1', 'g')
            .regexp_replace('\.items', '/*', 'g').ltrim('$').replace('"', '') AS field
    FROM newest, json_tree(newest.json_schema) AS tree
    WHERE ends_with(tree.path, '.properties')
)
SELECT schema, field, row_number() OVER (PARTITION BY schema ORDER BY id) AS position,
    json_exists(value, '$.enum') OR json_exists(value, '$.anyOf[0].enum') AS closed_enum
FROM nodes;

-- Attempts whose text is no JSON object, by temperature, ending and length: `tokens_from` is the power of two
-- at or below their output tokens. Those that the engine never answered are left out.
CREATE OR REPLACE VIEW unparsed AS
WITH bad AS MATERIALIZED (
    SELECT run_id, ending, output_tokens, ending IN ('error', 'timeout', 'abort') AS unanswered
    FROM attempts WHERE NOT parses
),
counted AS (
    SELECT run_id, count(*) AS seen FROM attempts GROUP BY run_id
    UNION ALL SELECT run_id, -count(*) FROM bad WHERE unanswered GROUP BY run_id
),
sizes AS (
    SELECT schema, temperature, mode, sum(seen)::BIGINT AS seen
    FROM counted JOIN current_runs USING (run_id) GROUP BY ALL
)
SELECT run.schema, run.mode, run.temperature, ending,
    CASE WHEN output_tokens > 0 THEN (2 ** floor(log2(output_tokens)))::INTEGER ELSE 0 END AS tokens_from,
    count(*) AS attempts, any_value(sizes.seen) AS seen, count(*) / any_value(sizes.seen) AS share
FROM bad JOIN current_runs AS run USING (run_id) JOIN sizes
    ON sizes.schema = run.schema AND (sizes.temperature, sizes.mode) IS NOT DISTINCT FROM (run.temperature, run.mode)
WHERE NOT unanswered
GROUP BY ALL ORDER BY attempts DESC, run.schema, run.temperature, ending;

-- Answers that are JSON but miss the schema, by field and rule, with the fingerprints of the three schemas that
-- had to be one: the prompt showed the recipe's, a guided decoder enforced it, the validator checked the one
-- that was registered when the run began.
CREATE OR REPLACE VIEW off_schema AS
WITH checked AS (
    SELECT run.run_id, arg_max(known.fingerprint, known.registered_at) AS fingerprint
    FROM current_runs AS run JOIN schema_versions AS known
        ON known.schema = run.schema AND known.registered_at <= run.started_at
    GROUP BY run.run_id
),
bad AS (
    SELECT DISTINCT run_id, document_id, field, rule, category FROM findings
        ANTI JOIN (FROM extractions WHERE NOT is_current) USING (run_id, document_id)
    WHERE level = 'schema' AND severity = 'error'
)
SELECT run.schema, run.mode, CASE run.mode WHEN 'guided' THEN run.backend END AS backend,
    run.schema_fingerprint[:12] AS prompt_schema,
    CASE run.mode WHEN 'guided' THEN run.schema_fingerprint[:12] WHEN 'json' THEN 'any JSON' WHEN 'prompt' THEN 'none'
    END AS decoder_schema,
    checked.fingerprint[:12] AS validator_schema,
    bad.field, bad.rule, bad.category, count(*) AS documents, min(bad.document_id) AS example
FROM bad JOIN current_runs AS run USING (run_id) LEFT JOIN checked USING (run_id)
GROUP BY ALL ORDER BY documents DESC, run.schema, bad.field, bad.rule;

-- Each field of the answers that a guided decoder made fit: how often its value is not in the source, the mass
-- that the mask took from the model's own choice, its place in the order, whether its answers are a closed list,
-- and, from the newest evaluation of the decoding, how often it is right; `exact_share` is of whole answers.
CREATE OR REPLACE VIEW low_scores AS
WITH ended AS (
    SELECT run_id, status, count(*) AS documents FROM extractions WHERE is_current AND status <> 'failed' GROUP BY ALL
),
fit AS (
    SELECT run.schema, run.recipe_id, sum(documents)::BIGINT AS answered,
        coalesce(sum(documents) FILTER (status IN ('accepted', 'flagged')), 0)::BIGINT AS fits,
        coalesce(sum(documents) FILTER (status = 'accepted'), 0)::BIGINT AS accepted
    FROM ended JOIN current_runs AS run USING (run_id) WHERE run.mode = 'guided' GROUP BY ALL
),
judged AS (
    SELECT schema, decoding, measure, field, arg_max(value, evaluation_id) AS value
    FROM evaluations WHERE "of" = 'all inputs' AND measure IN ('right', 'exact') GROUP BY ALL
),
leaves AS (
    SELECT run_id, field, count(*) AS answers, count(*) FILTER (grounding IN ('absent', 'ambiguous')) AS unfound,
        sum(removed_mass) AS removed, count(removed_mass) AS scored
    FROM fields GROUP BY ALL
)
SELECT fit.schema, fit.recipe_id, fit.answered, fit.fits, fit.accepted, fit.fits / fit.answered AS fit_share,
    fit.accepted / nullif(fit.fits, 0) AS accepted_share, leaves.field, known.position, known.closed_enum,
    sum(leaves.answers)::BIGINT AS answers, sum(leaves.unfound) / sum(leaves.answers) AS unfound_share,
    sum(leaves.removed) / nullif(sum(leaves.scored), 0) AS removed_mass,
    any_value(value.value) AS right_share, any_value(whole.value) AS exact_share
FROM fit JOIN current_runs AS run USING (schema, recipe_id) JOIN leaves USING (run_id)
    LEFT JOIN schema_fields AS known ON known.schema = fit.schema AND known.field = leaves.field
    LEFT JOIN judged AS value ON (value.schema, value.decoding, value.field, value.measure)
        = (run.schema, run.decoding, leaves.field, 'right')
    LEFT JOIN judged AS whole ON (whole.schema, whole.decoding, whole.field, whole.measure)
        = (run.schema, run.decoding, '', 'exact')
GROUP BY ALL ORDER BY fit.schema, fit.recipe_id, unfound_share DESC, leaves.field;

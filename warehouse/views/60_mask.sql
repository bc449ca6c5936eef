-- What the mask did, for each recipe: `scored` attempts have the second pass; forced tokens and the spelling are
-- known for the others too. Removed mass is a share of probability, 0 to 1.
CREATE OR REPLACE VIEW mask_by_recipe AS
SELECT runs.recipe_id, runs.schema, any_value(recipes.decoding->>'name') AS decoding, count(*) AS attempts,
    count(mean_removed_mass) AS scored, avg(mean_removed_mass) AS mean_removed_mass,
    max(max_removed_mass) AS max_removed_mass, avg(log_allowed_mass) AS mean_log_allowed_mass,
    avg(forced_share) AS forced_share, count(*) FILTER (canonical) / nullif(count(canonical), 0) AS canonical_share
FROM attempts JOIN runs USING (run_id) LEFT JOIN recipes USING (recipe_id)
GROUP BY runs.recipe_id, runs.schema ORDER BY runs.recipe_id;

-- And for each field of what is current: how sure the model was, and where it wanted to write something else.
CREATE OR REPLACE VIEW mask_by_field AS
SELECT schema, field, count(*) AS answers, avg(logprob) AS mean_logprob, min(min_logprob) AS min_logprob,
    count(removed_mass) AS scored, avg(removed_mass) AS mean_removed_mass,
    count(*) FILTER (removed_mass > 0.5) / nullif(count(removed_mass), 0) AS pressed_share
FROM fields ANTI JOIN (FROM extractions WHERE NOT is_current) USING (run_id, document_id)
GROUP BY ALL ORDER BY pressed_share DESC NULLS LAST, schema, field;

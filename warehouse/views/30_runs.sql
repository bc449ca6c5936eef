-- One row a run: how it stands, how its documents ended before anybody reviewed them, what it took.
CREATE OR REPLACE VIEW run_summary AS
WITH ended AS (
    SELECT run_id, count(*) AS documents,
        count(*) FILTER (status = 'accepted') AS accepted, count(*) FILTER (status = 'flagged') AS flagged,
        count(*) FILTER (status = 'rejected') AS rejected, count(*) FILTER (status = 'failed') AS failed
    FROM extractions GROUP BY run_id
),
spent AS (
    SELECT run_id, count(*) AS attempts, sum(prompt_tokens)::BIGINT AS prompt_tokens,
        sum(output_tokens)::BIGINT AS output_tokens, sum(cached_tokens)::BIGINT AS cached_tokens
    FROM attempts GROUP BY run_id
)
SELECT runs.run_id, runs.kind, runs.schema, runs.recipe_id, runs.source, runs.status, runs.started_at,
    runs.finished_at, date_diff('millisecond', runs.started_at, runs.finished_at) / 1000 AS seconds,
    coalesce(ended.documents, 0) AS documents, coalesce(ended.accepted, 0) AS accepted,
    coalesce(ended.flagged, 0) AS flagged, coalesce(ended.rejected, 0) AS rejected,
    coalesce(ended.failed, 0) AS failed, coalesce(spent.attempts, 0) AS attempts,
    coalesce(spent.prompt_tokens, 0) AS prompt_tokens, coalesce(spent.output_tokens, 0) AS output_tokens,
    coalesce(spent.cached_tokens, 0) AS cached_tokens, runs.message
FROM runs LEFT JOIN ended USING (run_id) LEFT JOIN spent USING (run_id)
ORDER BY runs.run_id DESC;

-- Tokens and engine seconds of each run; `unused` are those of attempts that were not chosen, failed ones included.
CREATE OR REPLACE VIEW cost AS
WITH spent AS (
    SELECT run_id, count(*) AS attempts, sum(prompt_tokens)::BIGINT AS prompt_tokens,
        sum(cached_tokens)::BIGINT AS cached_tokens, sum(output_tokens)::BIGINT AS output_tokens,
        sum(total_s - queued_s) AS engine_s, count(*) FILTER (NOT chosen) AS unused_attempts,
        coalesce(sum(output_tokens) FILTER (NOT chosen), 0)::BIGINT AS unused_output_tokens,
        coalesce(sum(total_s - queued_s) FILTER (NOT chosen), 0) AS unused_engine_s
    FROM attempts GROUP BY run_id
),
sizes AS (SELECT run_id, count(*) AS documents FROM extractions GROUP BY run_id)
SELECT spent.run_id, runs.schema, runs.recipe_id, coalesce(sizes.documents, 0) AS documents,
    spent.* EXCLUDE (run_id), spent.output_tokens / nullif(sizes.documents, 0) AS output_tokens_a_document,
    spent.engine_s / nullif(sizes.documents, 0) AS engine_s_a_document
FROM spent LEFT JOIN sizes USING (run_id) LEFT JOIN runs USING (run_id)
ORDER BY spent.run_id DESC;

-- Seconds in the queue, to the first token and in all, as each run's attempts had them: over a sample of 8192,
-- which for smaller runs is all of them. Exact ones would sort ten million attempts three times.
CREATE OR REPLACE VIEW latency AS
WITH digests AS (
    SELECT run_id, count(*) AS attempts, reservoir_quantile(queued_s, [0.5, 0.95], 8192) AS queued,
        reservoir_quantile(first_token_s, [0.5, 0.95], 8192) AS first_token,
        reservoir_quantile(total_s, [0.5, 0.95], 8192) AS total, max(total_s) AS total_max
    FROM attempts GROUP BY run_id
)
SELECT run_id, attempts, queued[1] AS queued_p50, queued[2] AS queued_p95,
    first_token[1] AS first_token_p50, first_token[2] AS first_token_p95,
    total[1] AS total_p50, total[2] AS total_p95, total_max
FROM digests ORDER BY run_id DESC;

-- Whether asking again helps, for each recipe and number of attempts: the share of documents that were accepted
-- within so many (`observed`), and the share that independent attempts would have given, 1 - (1 - v)^k, where v is
-- what the first one gave. Documents that had no answer at all are left out. The samples of a vote are one attempt.
CREATE OR REPLACE VIEW retries AS
WITH counted AS (
    SELECT recipe_id, schema, attempts, status = 'accepted' AS accepted, count(*) AS documents
    FROM extractions WHERE attempts > 0 AND status <> 'failed' GROUP BY ALL
),
asked AS (
    SELECT c.recipe_id, c.schema, c.accepted, c.documents,
        ceil(c.attempts / if(r.decoding->>'selection' IN ('vote', 'aligned'), (r.decoding->>'samples')::INTEGER, 1))
            AS tries
    FROM counted c LEFT JOIN recipes r USING (recipe_id)
),
firsts AS (
    SELECT recipe_id, schema, sum(documents)::BIGINT AS documents, max(tries)::INTEGER AS most,
        coalesce(sum(documents) FILTER (accepted AND tries = 1), 0) / sum(documents) AS v
    FROM asked GROUP BY ALL
),
steps AS (SELECT recipe_id, schema, documents, v, unnest(range(1, most + 1))::INTEGER AS attempts FROM firsts)
SELECT steps.recipe_id, steps.schema, steps.attempts, steps.documents,
    coalesce(sum(asked.documents) FILTER (asked.tries >= steps.attempts), 0)::BIGINT AS asked,
    coalesce(sum(asked.documents) FILTER (asked.accepted AND asked.tries <= steps.attempts), 0) / steps.documents
        AS observed,
    1 - (1 - steps.v) ** steps.attempts AS if_independent
FROM steps JOIN asked USING (recipe_id, schema)
GROUP BY steps.recipe_id, steps.schema, steps.attempts, steps.documents, steps.v
ORDER BY steps.recipe_id, steps.schema, steps.attempts;

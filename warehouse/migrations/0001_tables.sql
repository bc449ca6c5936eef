-- The first tables. All timestamps are UTC. Money stands as text in JSON, so that it never becomes a float.
-- The large tables have no primary key on purpose: one writer lands each shard in one transaction and
-- leaves out what is there already, and an index of ten million keys would cost memory on every landing.

CREATE TABLE documents (
    document_id VARCHAR NOT NULL,       -- SHA-256 of the bytes
    parent_id VARCHAR,                  -- the document that this one was attached to
    uri VARCHAR NOT NULL,               -- where it was first seen
    media_type VARCHAR NOT NULL,
    bytes BIGINT NOT NULL,
    text VARCHAR NOT NULL,
    page_starts INTEGER[] NOT NULL,     -- code point offset of each page's first character
    reader VARCHAR NOT NULL,
    category VARCHAR,                   -- why there is no text
    message VARCHAR,
    first_seen_at TIMESTAMP NOT NULL
);

-- What a listing said, and which documents (attachments too) were found there: an unchanged one is not read again.
CREATE TABLE sightings (
    uri VARCHAR NOT NULL,
    size BIGINT NOT NULL,
    modified TIMESTAMP,
    document_id VARCHAR NOT NULL,
    seen_at TIMESTAMP NOT NULL
);

CREATE TABLE schema_versions (
    schema VARCHAR NOT NULL,            -- invoice@2
    name VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    fingerprint VARCHAR NOT NULL,
    json_schema JSON NOT NULL,
    registered_at TIMESTAMP NOT NULL,
    PRIMARY KEY (schema, fingerprint)
);

CREATE TABLE recipes (
    recipe_id VARCHAR PRIMARY KEY,
    schema VARCHAR NOT NULL,
    schema_fingerprint VARCHAR NOT NULL,
    prompt_fingerprint VARCHAR NOT NULL,
    decoding JSON NOT NULL,
    model JSON NOT NULL,
    versions JSON NOT NULL,
    first_used_at TIMESTAMP NOT NULL
);

CREATE TABLE runs (
    run_id VARCHAR PRIMARY KEY,         -- UUIDv7
    kind VARCHAR NOT NULL,
    schema VARCHAR NOT NULL,
    recipe_id VARCHAR NOT NULL,
    source VARCHAR NOT NULL,
    retry VARCHAR[] NOT NULL,           -- the statuses that this run does again
    status VARCHAR NOT NULL,            -- running, finished, interrupted, failed, crashed, quarantined
    host VARCHAR NOT NULL,
    pid BIGINT NOT NULL,
    started_at TIMESTAMP NOT NULL,
    heartbeat_at TIMESTAMP NOT NULL,
    finished_at TIMESTAMP,
    documents BIGINT,
    counts JSON,                        -- what the run itself counted
    message VARCHAR
);

CREATE TABLE attempts (
    attempt_id VARCHAR NOT NULL,
    run_id VARCHAR NOT NULL,
    document_id VARCHAR NOT NULL,
    chosen BOOLEAN NOT NULL,            -- whether the extraction's answer is this one's
    number INTEGER NOT NULL,
    sample INTEGER NOT NULL,
    seed BIGINT NOT NULL,
    ending VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    queued_s DOUBLE NOT NULL,
    first_token_s DOUBLE NOT NULL,
    total_s DOUBLE NOT NULL,
    mean_logprob DOUBLE,
    started_at TIMESTAMP NOT NULL,
    error VARCHAR,
    tokens STRUCT(id INTEGER, text VARCHAR, logprob FLOAT, raw_logprob FLOAT)[] NOT NULL
);

CREATE TABLE extractions (
    run_id VARCHAR NOT NULL,
    document_id VARCHAR NOT NULL,
    recipe_id VARCHAR NOT NULL,
    schema VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    level VARCHAR,
    category VARCHAR,
    message VARCHAR,
    value JSON,
    attempt_id VARCHAR,
    attempts INTEGER NOT NULL,
    finished_at TIMESTAMP NOT NULL,
    is_current BOOLEAN NOT NULL         -- the one that counts for its document and schema version
);

CREATE TABLE fields (
    run_id VARCHAR NOT NULL,
    document_id VARCHAR NOT NULL,
    schema VARCHAR NOT NULL,
    pointer VARCHAR NOT NULL,           -- /lines/0/amount
    field VARCHAR NOT NULL,             -- /lines/*/amount
    value VARCHAR,                      -- JSON text
    is_null BOOLEAN NOT NULL,
    has_candidates BOOLEAN NOT NULL,    -- null, although the source holds candidates
    grounding VARCHAR NOT NULL,
    score DOUBLE,
    span_start BIGINT,
    span_end BIGINT,
    logprob DOUBLE,
    min_logprob DOUBLE,
    removed_mass DOUBLE,
    agreement DOUBLE
);

CREATE TABLE findings (
    run_id VARCHAR NOT NULL,
    document_id VARCHAR NOT NULL,
    schema VARCHAR NOT NULL,
    level VARCHAR NOT NULL,
    rule VARCHAR NOT NULL,
    pointer VARCHAR NOT NULL,
    field VARCHAR NOT NULL,
    severity VARCHAR NOT NULL,
    category VARCHAR,
    message VARCHAR NOT NULL,
    expected VARCHAR,
    found VARCHAR,
    span_start BIGINT,
    span_end BIGINT
);

CREATE TABLE landings (
    shard_id VARCHAR PRIMARY KEY,
    run_id VARCHAR NOT NULL,
    documents BIGINT NOT NULL,          -- extractions in the shard
    landed BIGINT NOT NULL,             -- of these, the ones that were not there yet
    landed_at TIMESTAMP NOT NULL
);

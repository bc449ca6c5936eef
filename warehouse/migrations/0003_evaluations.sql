-- What is known to be right, and how decodings did against it.

-- One label: what stands at one place of a document's answer. The newest of a place counts.
CREATE TABLE labels (
    label_id VARCHAR PRIMARY KEY,       -- UUIDv7
    document_id VARCHAR NOT NULL,
    schema VARCHAR NOT NULL,            -- receipt@1
    pointer VARCHAR NOT NULL,           -- /total, or /lines for a whole list
    value JSON NOT NULL,                -- JSON null says that the document does not have it
    before JSON,                        -- the answer's value that the label replaced
    attempt_id VARCHAR,                 -- the attempt that gave it
    who VARCHAR NOT NULL,
    source VARCHAR NOT NULL,            -- the file that the label was read from, or where it was given
    labelled_at TIMESTAMP NOT NULL
);

-- One evaluation: what was asked, and what it was asked of.
CREATE TABLE evaluation_orders (
    evaluation_id VARCHAR PRIMARY KEY,  -- UUIDv7
    schema VARCHAR NOT NULL,
    labels VARCHAR NOT NULL,            -- where they came from
    labels_sha256 VARCHAR NOT NULL,     -- of the labels that were used
    baseline VARCHAR NOT NULL,
    samples INTEGER NOT NULL,
    repeats INTEGER NOT NULL,
    seed BIGINT NOT NULL,
    resamples INTEGER NOT NULL,
    inputs INTEGER NOT NULL,            -- documents that were measured
    unlabelled VARCHAR[] NOT NULL,      -- documents that no label is for
    undocumented VARCHAR[] NOT NULL,    -- labels whose document is not there
    unusable VARCHAR[] NOT NULL,        -- labels, or values in them, that could not be used, each with why
    price_per_hour DOUBLE,
    created_at TIMESTAMP NOT NULL
);

-- The runs that it measured.
CREATE TABLE evaluation_runs (
    evaluation_id VARCHAR NOT NULL,
    decoding VARCHAR NOT NULL,
    sample INTEGER NOT NULL,
    repeat INTEGER NOT NULL,            -- 0, and from 1 on for the same again
    run_id VARCHAR NOT NULL
);

-- What was measured: one row for each decoding, measure and field; `field` is empty for whole answers.
-- `low` and `high` bound the 95 % interval; `difference` is to the baseline, on the same resamples.
CREATE TABLE evaluations (
    evaluation_id VARCHAR NOT NULL,
    schema VARCHAR NOT NULL,
    decoding VARCHAR NOT NULL,
    measure VARCHAR NOT NULL,
    field VARCHAR NOT NULL,
    "of" VARCHAR NOT NULL,              -- all inputs, or the part of them that a conditional rate is of
    unit VARCHAR NOT NULL,
    value DOUBLE,
    low DOUBLE,
    high DOUBLE,
    method VARCHAR,                     -- bootstrap or wilson
    inputs INTEGER NOT NULL,
    difference DOUBLE,
    difference_low DOUBLE,
    difference_high DOUBLE,
    judgement VARCHAR                   -- better, worse, not separated
);

-- What each input gave, averaged over its samples. A rate is the sum of `value` over the sum of `weight`, which is
-- 1 but for rates of a part of the outputs.
CREATE TABLE evaluation_inputs (
    evaluation_id VARCHAR NOT NULL,
    decoding VARCHAR NOT NULL,
    document_id VARCHAR NOT NULL,
    "cluster" VARCHAR NOT NULL,         -- documents that belong together
    measure VARCHAR NOT NULL,
    field VARCHAR NOT NULL,
    "of" VARCHAR NOT NULL,
    value DOUBLE NOT NULL,
    weight DOUBLE NOT NULL
);

-- What the gate measures and finds, what a quarantined run was before, and which typed tables are kept.

-- The figures of each ended run that the gate looks at: `accepted_share`, `null_share:/total`, …
CREATE TABLE run_metrics (
    run_id VARCHAR NOT NULL,
    metric VARCHAR NOT NULL,
    value DOUBLE NOT NULL
);

CREATE TABLE quality_results (
    run_id VARCHAR NOT NULL,
    suite VARCHAR NOT NULL,             -- default, or own: the file beside the schema
    number INTEGER NOT NULL,            -- its place in the suite
    expectation VARCHAR NOT NULL,       -- expect_column_values_to_be_between
    metric VARCHAR,
    kwargs JSON NOT NULL,
    severity VARCHAR NOT NULL,          -- critical (fails the gate), warning, info
    success BOOLEAN NOT NULL,
    observed JSON,
    message VARCHAR NOT NULL,           -- what was expected and found, in words
    checked_at TIMESTAMP NOT NULL
);

-- The ending that a run in quarantine had, which a release gives back.
ALTER TABLE runs ADD COLUMN ended_as VARCHAR;

-- Whether an attempt's whole text is one JSON object. Kept, because reading ten million texts takes minutes.
ALTER TABLE attempts ADD COLUMN parses BOOLEAN;
UPDATE attempts SET parses = json_valid(text) AND starts_with(ltrim(text), '{');

-- Typed tables that landing keeps (`typed.receipt_v1`): `shape` is what json_transform makes of an answer.
CREATE SCHEMA typed;
CREATE TABLE materialised (
    schema VARCHAR NOT NULL,
    fingerprint VARCHAR NOT NULL,
    shape JSON NOT NULL,
    made_at TIMESTAMP NOT NULL
);

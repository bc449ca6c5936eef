-- What people decided at the review desk. The extraction that they looked at stays as it was.

-- One row a decision; the newest of an extraction counts, and holds the whole answer as it stands after it.
CREATE TABLE reviews (
    review_id VARCHAR PRIMARY KEY,      -- UUIDv7
    run_id VARCHAR NOT NULL,
    document_id VARCHAR NOT NULL,
    schema VARCHAR NOT NULL,
    decision VARCHAR NOT NULL,          -- accepted, corrected, absent
    pointer VARCHAR NOT NULL,           -- of the value that was changed; empty for the whole answer
    status VARCHAR NOT NULL,            -- after it: what the checks say, or accepted where a person does
    level VARCHAR,
    category VARCHAR,
    value JSON NOT NULL,
    who VARCHAR NOT NULL,
    reviewed_at TIMESTAMP NOT NULL
);

-- The model's own distribution where each token of an attempt was drawn. Running a model for it takes long, so it is
-- computed when somebody asks, and kept.
CREATE TABLE IF NOT EXISTS likelihoods (
    attempt_id VARCHAR NOT NULL,
    document_id VARCHAR NOT NULL,
    number INTEGER NOT NULL,            -- of the token in the answer, from 1
    raw DOUBLE NOT NULL,                -- the drawn token's probability without the mask
    masked DOUBLE NOT NULL,             -- and with it
    allowed DOUBLE NOT NULL,            -- what the mask left: 1 less the removed mass
    before STRUCT(id INTEGER, text VARCHAR, probability DOUBLE)[] NOT NULL,  -- the likeliest tokens without the mask
    after STRUCT(id INTEGER, text VARCHAR, probability DOUBLE)[] NOT NULL,   -- and with it
    computed_at TIMESTAMP NOT NULL,
    PRIMARY KEY (attempt_id, number)
);

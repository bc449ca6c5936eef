-- What was purged, and which copies of the warehouse's content were made.

-- One row for each document that was purged. The SHA-256 of its bytes stays, so that it is known again and not
-- extracted anew; `seen_as` are hashes of the listings that it was found in. Nothing of its content stays.
CREATE TABLE tombstones (
    document_id VARCHAR NOT NULL,
    seen_as VARCHAR[] NOT NULL,
    reason VARCHAR NOT NULL,
    who VARCHAR NOT NULL,
    purged_at TIMESTAMP NOT NULL
);

-- Snapshots and exports, so that a purge can name those that may still hold a document.
CREATE TABLE copies (
    path VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,              -- snapshot, parquet, csv, training
    made_at TIMESTAMP NOT NULL
);

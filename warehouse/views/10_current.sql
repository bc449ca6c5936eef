-- The decision that counts on each extraction that a person looked at.
CREATE OR REPLACE VIEW decided AS
SELECT * FROM reviews SEMI JOIN (
    SELECT max(review_id) AS review_id FROM reviews GROUP BY run_id, document_id) USING (review_id);

-- Every extraction as it stands now, with what a person decided on it where one did.
CREATE OR REPLACE VIEW outcomes AS
SELECT extractions.* REPLACE (
        if(review_id IS NULL, extractions.status, decided.status) AS status,
        if(review_id IS NULL, extractions.level, decided.level) AS level,
        if(review_id IS NULL, extractions.category, decided.category) AS category,
        if(review_id IS NULL, extractions.value, decided.value) AS value),
    decided.who AS reviewed_by, decided.reviewed_at
FROM extractions LEFT JOIN decided
    ON decided.run_id = extractions.run_id AND decided.document_id = extractions.document_id;

-- One row for each document and schema version: the extraction that counts (see warehouse/current.py).
CREATE OR REPLACE VIEW current AS
SELECT * EXCLUDE (is_current) FROM outcomes WHERE is_current;

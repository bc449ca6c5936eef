-- Every extraction as it stands now: with what a person decided on it at the review desk, where one did.
CREATE OR REPLACE VIEW outcomes AS
WITH newest AS (
    SELECT run_id, document_id, arg_max({status: status, level: level, category: category, value: value,
        who: who, reviewed_at: reviewed_at}, review_id) AS review
    FROM reviews GROUP BY run_id, document_id
)
SELECT extractions.* REPLACE (
        if(review IS NULL, extractions.status, review.status) AS status,
        if(review IS NULL, extractions.level, review.level) AS level,
        if(review IS NULL, extractions.category, review.category) AS category,
        if(review IS NULL, extractions.value, review.value) AS value),
    review.who AS reviewed_by, review.reviewed_at
FROM extractions LEFT JOIN newest
    ON newest.run_id = extractions.run_id AND newest.document_id = extractions.document_id;

-- One row for each document and schema version: the extraction that counts (see warehouse/current.py).
CREATE OR REPLACE VIEW current AS
SELECT * EXCLUDE (is_current) FROM outcomes WHERE is_current;

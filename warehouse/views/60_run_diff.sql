-- Every document of two runs, with its outcome in each and what became of it. For `run_diff`, which is for people.
CREATE OR REPLACE MACRO run_leaves(a, b) AS TABLE
WITH old AS (SELECT document_id, pointer, value, span_start, span_end FROM fields WHERE run_id = a),
new AS (SELECT document_id, pointer, value, span_start, span_end FROM fields WHERE run_id = b),
shared AS (
    SELECT document_id FROM extractions WHERE run_id = a
    INTERSECT SELECT document_id FROM extractions WHERE run_id = b
)
SELECT document_id, pointer, old.value AS old_value, new.value AS new_value,
    old.span_start AS old_start, old.span_end AS old_end, new.span_start AS new_start, new.span_end AS new_end
FROM old FULL JOIN new USING (document_id, pointer) SEMI JOIN shared USING (document_id)
WHERE old.value IS DISTINCT FROM new.value;

CREATE OR REPLACE MACRO run_pairs(a, b) AS TABLE
WITH old AS (SELECT document_id, status, category FROM extractions WHERE run_id = a),
new AS (SELECT document_id, status, category FROM extractions WHERE run_id = b),
moved AS (SELECT DISTINCT document_id, true AS moved FROM run_leaves(a, b))
SELECT document_id, old.status AS old_status, new.status AS new_status,
    old.category AS old_category, new.category AS new_category,
    CASE
        WHEN old.status IS NULL THEN 'added'
        WHEN new.status IS NULL THEN 'removed'
        WHEN old.status <> 'accepted' AND new.status = 'accepted' THEN 'fixed'
        WHEN old.status = 'accepted' AND new.status <> 'accepted' THEN 'broken'
        WHEN old.status <> new.status OR old.category IS DISTINCT FROM new.category OR moved THEN 'changed'
        ELSE 'same'
    END AS change
FROM old FULL JOIN new USING (document_id) LEFT JOIN moved USING (document_id);

-- What changed from run `a` to run `b`, one row for each place whose value changed: `FROM run_diff('…', '…')`.
-- A document whose status or category alone changed has one row without a place; so has one that only one of the
-- runs has an outcome for (`added`, `removed`). Offsets are code points of the document's text.
CREATE OR REPLACE MACRO run_diff(a, b) AS TABLE
WITH compared AS (FROM run_pairs(a, b)),
leaves AS (FROM run_leaves(a, b))
SELECT compared.change, compared.document_id, documents.uri, leaves.pointer,
    compared.old_status, compared.new_status, compared.old_category, compared.new_category,
    leaves.old_value, leaves.new_value, leaves.old_start, leaves.old_end, leaves.new_start, leaves.new_end
FROM compared LEFT JOIN leaves USING (document_id) LEFT JOIN documents USING (document_id)
WHERE compared.change <> 'same'
ORDER BY compared.change, documents.uri, compared.document_id, leaves.pointer;

-- How many documents were `fixed` (accepted now), `broken` (accepted before), otherwise `changed`, or the `same`.
CREATE OR REPLACE MACRO run_diff_summary(a, b) AS TABLE
WITH kinds AS (SELECT unnest(['fixed', 'broken', 'changed', 'same', 'added', 'removed']) AS change),
counted AS (SELECT change, count(*) AS documents FROM run_pairs(a, b) GROUP BY change)
SELECT kinds.change, coalesce(counted.documents, 0) AS documents
FROM kinds LEFT JOIN counted USING (change)
ORDER BY list_position(['fixed', 'broken', 'changed', 'same', 'added', 'removed'], kinds.change);

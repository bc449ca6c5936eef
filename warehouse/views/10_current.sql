-- One row for each document and schema version: its newest extraction that had an answer, or, where none had,
-- its newest. Runs in quarantine are left out.
CREATE OR REPLACE VIEW current AS
SELECT extractions.* FROM extractions
SEMI JOIN (
    SELECT document_id, schema,
        arg_max(run_id, (status <> 'failed', finished_at, run_id)) AS run_id
    FROM extractions
    ANTI JOIN (FROM runs WHERE status = 'quarantined') USING (run_id)
    GROUP BY document_id, schema
) AS newest USING (run_id, document_id, schema);

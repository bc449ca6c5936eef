-- One row for each document and schema version: the extraction that counts (see warehouse/current.py).
CREATE OR REPLACE VIEW current AS
SELECT * EXCLUDE (is_current) FROM extractions WHERE is_current;

-- What is still wrong after a decision, so that what waits can be found by its field as it stands now.
-- The field of each error; null where it was decided before this was kept.
ALTER TABLE reviews ADD COLUMN IF NOT EXISTS wrong VARCHAR[];

-- What json_transform makes of a version's answers: an upgrade can write its typed view anew without the class.
ALTER TABLE schema_versions ADD COLUMN shape JSON;

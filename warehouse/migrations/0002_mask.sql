-- What the mask did to an answer. Null where it is not known: nothing was scored, or no grammar was at hand.

-- A token's removed mass is the share of probability (0 to 1) that the model had put on tokens which the mask
-- forbade there, 0 where it is under 0.05, which is the noise of bfloat16.
ALTER TABLE attempts ADD COLUMN mean_removed_mass DOUBLE;   -- over the attempt's tokens
ALTER TABLE attempts ADD COLUMN max_removed_mass DOUBLE;
ALTER TABLE attempts ADD COLUMN log_allowed_mass DOUBLE;    -- sum over tokens of ln(1 - removed mass)
ALTER TABLE attempts ADD COLUMN forced_share DOUBLE;        -- tokens that were the only legal one, 0 to 1
ALTER TABLE attempts ADD COLUMN canonical BOOLEAN;          -- drawn as the tokenizer itself spells the text

-- Of the samples that an aligned selection weighed: as many equally weighted ones would tell as much.
ALTER TABLE extractions ADD COLUMN effective_samples DOUBLE;

"""Past one machine: a run's shards on Ray workers, landed by the one process that holds the warehouse."""

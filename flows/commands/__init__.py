"""The commands of `assay`, one file each. Heavy imports stand inside functions: `--help` has to be quick."""

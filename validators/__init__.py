"""Text, schema and source in, a `Verdict` out. Pure functions."""

"""The review desk: a local page on which people look at what was flagged or rejected, and put it right."""

"""The structured-output backends on their own: a schema compiled over a vocabulary, without an engine."""

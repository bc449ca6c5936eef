"""Evaluation: which decoding is right, how sure that is, and what it costs."""

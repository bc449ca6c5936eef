"""Comparing values with labels: how a label is read, when two values are the same, how lists are aligned."""

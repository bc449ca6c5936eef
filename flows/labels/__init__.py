"""Label files: reading them, and finding the documents that they speak of."""

from __future__ import annotations

from flows.labels.matching import Matched, match, write_texts
from flows.labels.reading import read_labels
from flows.labels.records import Label, Labels, Problem

__all__ = ["Label", "Labels", "Matched", "Problem", "match", "read_labels", "write_texts"]

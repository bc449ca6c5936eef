"""Where documents may lie."""

from __future__ import annotations

from pathlib import Path

from extractors.roots import Roots
from flows.settings import Settings


def readable(settings: Settings) -> Roots:
    """Below the roots that are set, and what Assay itself keeps of documents; anywhere, where none is set."""
    return Roots(settings.roots).also(settings.home / "archive", texts(settings.home))


def texts(home: Path) -> Path:
    """Where the texts that stand in labels are written as documents, each called by its SHA-256."""
    return home / "texts"

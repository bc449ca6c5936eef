"""Checks of one document's answers against its own text, which is indexed once."""

from __future__ import annotations

from flows import telemetry
from schemas.contract import ExtractionSchema
from schemas.records import Document, Verdict
from validators.grounding.index import SourceIndex
from validators.ladder import validate


class Checker:
    """The checks for one document: its text is indexed once, however many answers it gets."""

    def __init__(self, schema: type[ExtractionSchema]) -> None:
        self._schema = schema
        self._index: SourceIndex | None = None

    def __call__(self, text: str, document: Document) -> Verdict:
        """The verdict on one answer's raw text."""
        with telemetry.span("validate"):
            if self._index is None:
                self._index = SourceIndex(document.text)
            return validate(text, self._schema, self._index)

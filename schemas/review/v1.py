"""Reviews, first version: a small classification. Both answers are judgements, so nothing is grounded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from schemas.contract import Derived, ExtractionSchema, Reasoning, consistency, field, inconsistent
from schemas.records import Finding

Label = Literal["positive", "negative", "neutral"]
SCORES = {"positive": range(6, 10), "neutral": range(3, 7), "negative": range(4)}


class Review(ExtractionSchema):
    """A customer's opinion: its direction and its strength."""

    instructions = (
        "Read the review and judge it. The label is positive, negative or neutral. "
        "The score runs from 0, the worst, to 9, the best. Answer null where there is no opinion in the text."
    )
    example = (
        "The hinge broke on the second day and nobody answered my letters.",
        {"reasoning": "Broken at once, and no help.", "label": "negative", "score": 1},
    )

    reasoning: Reasoning
    label: Annotated[Label, Derived] | None = field("The direction of the opinion.")
    score: Annotated[int, Field(ge=0, le=9), Derived] | None = field("0 is the worst, 9 the best.")

    @consistency
    def score_fits_label(self) -> Iterator[Finding]:
        """Positive is 6 to 9, neutral 3 to 6, negative 0 to 3."""
        if self.label is None or self.score is None or self.score in SCORES[self.label]:
            return
        span = SCORES[self.label]
        message = f"A {self.label} review is scored from {span.start} to {span.stop - 1}, not {self.score}."
        yield inconsistent(
            message, pointer="/score", expected=f"{span.start}..{span.stop - 1}", found=self.score
        )

"""Non-disclosure agreements, first version: who agrees, from when, for how long, under whose law."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Annotated

from pydantic import StringConstraints

from schemas.contract import ExtractionSchema, Reasoning, consistency, field, inconsistent
from schemas.records import Finding, Severity

Name = Annotated[str, StringConstraints(min_length=1, max_length=80)]
Term = Annotated[str, StringConstraints(min_length=1, max_length=60)]
EXAMPLE = """\
MUTUAL NON-DISCLOSURE AGREEMENT
This Agreement is made as of the 3rd day of October, 2011 by and between Calder Optics, Inc. and
Miriam Oyelaran ("Recipient"). The duties under Section 2 last for three (3) years.
This Agreement is governed by the laws of the State of Vermont.
"""


class NonDisclosureAgreement(ExtractionSchema):
    """A non-disclosure agreement: its parties, its first day, its term and its law."""

    instructions = (
        "Read the agreement and answer with what it says. "
        "The parties are the people and companies that sign it, in full, not words such as Recipient. "
        "The jurisdiction is the state or country whose law governs it, the name alone. "
        "The term is how long the duty of secrecy lasts, as a number and a unit. "
        "Answer null for what the agreement leaves open."
    )
    example = (
        EXAMPLE,
        {
            "reasoning": "Made as of 3 October 2011, secrecy for three years, law of Vermont.",
            "effective_date": "2011-10-03",
            "jurisdiction": "Vermont",
            "parties": ["Calder Optics, Inc.", "Miriam Oyelaran"],
            "term": "3 years",
        },
    )

    reasoning: Reasoning
    effective_date: date | None = field("The day from which it holds.")
    jurisdiction: Term | None = field("Whose law governs it.", compare="name")
    parties: list[Name] = field("Each party's full name.", max_length=8, compare="name")
    term: Term | None = field("Such as 3 years or 18 months.", compare="duration")

    @consistency
    def parties_are_distinct(self) -> Iterator[Finding]:
        """Nobody agrees with himself."""
        folded = [name.casefold().strip(" .,") for name in self.parties]
        for index, name in enumerate(folded):
            if name in folded[:index]:
                message = f"{self.parties[index]} is named twice."
                yield inconsistent(message, pointer=f"/parties/{index}", found=self.parties[index])

    @consistency
    def has_two_parties(self) -> Iterator[Finding]:
        """An agreement has two sides. The text may be a part of it, so this alone condemns nothing."""
        if len(self.parties) == 1:
            yield inconsistent(
                "Only one party is named.", pointer="/parties", expected="2 or more", found=1,
                severity=Severity.WARNING,
            )  # fmt: skip

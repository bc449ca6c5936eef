"""A part of a run on its way to a worker, and what becomes of it where workers die over it.

One document may kill every worker that takes it up. A part that was lost twice is divided until that document
is by itself: it alone is set aside, and the others are done.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from flows.runner.crew import AT_ONCE, Member
from flows.runner.job import Part

TRIES = 3
"""Times that a part may be lost where it does not help to divide it: no way to workers, or all die."""
DEATHS = 2
"""Workers that a part may cost before it is a suspect, and that a document may cost by itself."""
_INTO = 16
"""Parts of a suspect. Halves would cost more starts of workers, and each loads its engine for minutes."""
_ROUNDS = 8


class Step(Enum):
    """What becomes of a part that was lost."""

    AGAIN = auto()
    DIVIDE = auto()
    SET_ASIDE = auto()


@dataclass(slots=True, eq=False)
class Task:
    """A part, who has it, and how often it was lost.

    `alone`: it is a suspect, and its worker has nothing else meanwhile: no other part dies with it, and it
    dies by no other's fault.
    """

    number: str
    part: Part
    alone: bool = False
    member: Member | None = None
    future: Any = None
    lost: int = 0

    @property
    def load(self) -> int:
        """How many of a worker's places it takes."""
        return AT_ONCE if self.alone else 1

    def step(self, *, died: bool, hopeless: bool) -> Step:
        """What is next after it was lost. `died`: its worker did; `hopeless`: whoever has any part does."""
        single = self.part.blobs == 1
        guilty = self.alone and (hopeless or (single and self.lost >= DEATHS))
        if self.lost >= TRIES or guilty:
            return Step.SET_ASIDE
        bearable = 1 if self.alone and not single else DEATHS
        return Step.DIVIDE if died and not hopeless and self.lost >= bearable else Step.AGAIN

    def blame(self, told: str) -> str:
        """Why it is set aside; `told` says how it was lost the last time."""
        if self.alone and self.part.blobs == 1:
            return f"its worker was lost over this document alone ({self.lost} times, at last by {told})"
        return f"its shard was lost {self.lost} times, at last by {told}"

    def divided(self) -> Iterator[Task]:
        """Its suspects: up to sixteen parts, named after it, which no worker has been lost over yet."""
        blobs = self.part.blobs
        size = -(-blobs // _INTO)
        for place, start in enumerate(range(0, blobs, size)):
            stop = min(start + size, blobs)
            name = f"{self.part.shard_id}-{place:02}"
            part = Part(name, self.part.intake.part(start, stop), stop - start)
            yield Task(f"{self.number}-{place:02}", part, alone=True)


def is_hopeless(lost_in_a_row: int, workers: int) -> bool:
    """Whether it is not the documents: what workers have at once was lost eight times over, and nothing done.

    To divide a whole night's shards would then cost workers without end.
    """
    return lost_in_a_row >= _ROUNDS * AT_ONCE * max(1, workers)

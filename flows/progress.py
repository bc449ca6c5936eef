"""How far a run is: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field

from rich.console import Console
from rich.live import Live
from rich.text import Text

from flows import logs
from schemas.records import Category, Extraction, Outcome, Status

_COLOURS = {
    Status.ACCEPTED: "green",
    Status.FLAGGED: "yellow",
    Status.REJECTED: "magenta",
    Status.FAILED: "red",
}
# The engine's sake, not the document's: such a document is taken up again by the next run.
NO_ANSWER = (Category.ENGINE_ERROR, Category.TIMEOUT, Category.ABORTED)
PLAIN_EVERY_S = 10.0


@dataclass(slots=True)
class Tally:
    """What has happened in a run so far. `expected` counts listed blobs; attachments are added when found."""

    expected: int
    started: float = field(default_factory=time.monotonic)
    statuses: Counter[Status] = field(default_factory=Counter)
    tokens: int = 0
    engine_failures: int = 0
    compile_s: float = 0.0
    began: float = field(default_factory=time.monotonic)
    stage: str = "starting"

    def add(self, extraction: Extraction) -> None:
        """Count one document that has its outcome."""
        self.count(extraction.outcome)

    def count(self, outcome: Outcome) -> None:
        """The same, where the extraction itself is elsewhere."""
        self.statuses[outcome.status] += 1
        self.engine_failures += outcome.category in NO_ANSWER
        self.tokens += outcome.tokens

    def ready(self) -> None:
        """The engine is loaded: rates count from here."""
        self.started, self.stage = time.monotonic(), "extracting"

    @property
    def done(self) -> int:
        """Documents that have their outcome."""
        return self.statuses.total()

    @property
    def elapsed(self) -> float:
        """Seconds since the engine was ready."""
        return time.monotonic() - self.started

    @property
    def left_s(self) -> float | None:
        """Seconds left at the mean pace so far; None before the first outcome."""
        return self.elapsed / self.done * max(self.expected - self.done, 0) if self.done else None

    def parts(self) -> list[tuple[str, str]]:
        """The display's parts with their colours, in order."""
        counts = [(f"{status} {self.statuses[status]}", _COLOURS[status]) for status in Status]
        rate = (f"{self.tokens / max(self.elapsed, 1e-9):.0f} tokens/s", "")
        left = (f"{clock(self.left_s)} left", "")
        return [(self.stage, "bold"), (f"documents {self.done}/{self.expected}", ""), *counts, rate, left]

    def line(self) -> str:
        """All of it on one line of plain text."""
        return " · ".join(text for text, _ in self.parts())


def clock(seconds: float | None) -> str:
    """Seconds as 1:05 or 1:01:05; `?` where unknown."""
    if seconds is None:
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


Watch = Callable[[str, Tally], AbstractContextManager[None]]
"""What looks on while a run, known by its id, is at work."""


class Display:
    """Shows a tally on stderr. Call `tick` whenever something may have changed; it is cheap."""

    def __init__(
        self, tally: Tally, console: Console, live: Live | None, every_s: float = PLAIN_EVERY_S
    ) -> None:
        self.tally = tally
        self._console = console
        self._live = live
        self._every_s = every_s
        self._next = 0.0
        self._about = copy_context()  # the run's: whatever document is at hand when it is told

    def expect(self, more: int) -> None:
        """The number of documents turns out to differ from the number of blobs by `more`."""
        self.tally.expected += more

    def add(self, extraction: Extraction) -> None:
        """One document has its outcome."""
        self.tally.add(extraction)
        self.tick()

    def ready(self) -> None:
        """The engine is loaded."""
        self.tally.ready()
        self._next = 0.0
        self.tick()

    def tick(self) -> None:
        """Redraw; where there is no terminal, write a line if the last one is old enough."""
        if self._live is not None:
            self._live.update(_render(self.tally))
        elif time.monotonic() >= self._next:
            self.write(self.tally.line())

    def stage(self, name: str) -> None:
        """Say at once that another stage begins."""
        self.tally.stage = name
        self._next = 0.0
        self.tick()

    def write(self, line: str) -> None:
        """One plain line of news, above the live one."""
        if logs.is_json():
            counts = {str(status): count for status, count in self.tally.statuses.items()}
            figures = {"stage": self.tally.stage, "expected": self.tally.expected, **counts}
            self._about.run(logs.tell, "progress", **figures)
        else:
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)
        self._next = time.monotonic() + self._every_s


def _render(tally: Tally) -> Text:
    return Text(" · ").join(Text(text, style=style) for text, style in tally.parts())


@contextmanager
def shown(tally: Tally, console: Console | None = None) -> Iterator[Display]:
    """A display that is taken down on leaving, after one last line."""
    console = console or Console(stderr=True)
    if logs.is_json() or not console.is_terminal:
        display = Display(tally, console, None)
        yield display
        display.write(tally.line())
        return
    with Live(_render(tally), console=console, refresh_per_second=4, redirect_stdout=False) as live:
        yield Display(tally, console, live)
        live.update(_render(tally))

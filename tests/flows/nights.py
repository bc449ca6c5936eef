"""Whole runs as tests make them: a fake engine behind the real seam, and nothing printed."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from flows.order import Order, Summary
from flows.pipeline import EngineFactory
from flows.plan import planned
from flows.run import carry_out
from flows.settings import Settings
from tests.flows.fake_engine import Factory, receipt, receipt_answer


def carried(order: Order, settings: Settings, engine: EngineFactory | None = None) -> Summary:
    """What an order came to."""
    with planned(order, settings) as plan:
        return carry_out(plan, start_engine=engine or Factory(), console=Console(file=io.StringIO()))


@dataclass
class Nights:
    """A run over so many new `receipts` at each call, whose names are a number and an `ending`."""

    settings: Settings
    folder: Path
    receipts: int
    ending: str = ".txt"
    seen: int = 0

    def __call__(self, answer: Callable[[str], str] = receipt_answer) -> Summary:
        source = self.folder / f"night-{self.seen}"
        source.mkdir()
        for number in range(self.seen, self.seen + self.receipts):
            (source / f"{number}{self.ending}").write_text(receipt(number))
        self.seen += self.receipts
        return carried(Order(str(source), "receipt@1"), self.settings, Factory(answer=answer))

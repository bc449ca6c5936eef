"""A warehouse like the demo's: its documents, and hostile ones, answered by an engine without a model."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Callable
from math import log
from pathlib import Path
from typing import Any

from rich.console import Console

from flows.evaluate import evaluate
from flows.evaluation.asked import Asked
from flows.evaluation.page import write_page
from flows.order import Order
from flows.plan import planned
from flows.run import carry_out
from flows.settings import Settings
from schemas.records import Token
from tests.desk import hostile
from tests.flows.fake_engine import Factory, SpellingEngine

# Of the demo's documents the ones that show most, so that the whole takes seconds.
SHOWN = (
    *("invoice-en.txt", "rechnung-de.pdf", "rechnung-ch.html", "invoice-sheet.xlsx", "mail-with-invoice.eml"),
    *("failing-contradictory-totals.txt", "failing-corrupt.pdf", "failing-empty.txt"),
)
RIGHT = {
    "reasoning": "As printed.",
    "invoice_number": "MF-10422",
    "issue_date": "2026-03-09",
    "seller": "Marlow & Finch Stationers Ltd",
    "buyer": "Harbour Lane Dental Practice",
    "currency": "GBP",
    "lines": [
        {"description": "Copy paper A4, box", "quantity": "6", "unit_price": "21.50", "amount": "129.00"},
        {"description": "Lever arch files", "quantity": "20", "unit_price": "3.25", "amount": "65.00"},
    ],
    "tax": None,
    "total": "194.00",
}
CONTRADICTORY = {
    **RIGHT,
    "invoice_number": "8841",
    "issue_date": "2026-02-02",
    "seller": "Somebody Else",
    "buyer": "Pebble Yoga Studio",
    "currency": "EUR",
    "lines": [
        {"description": "Landing page", "quantity": None, "unit_price": None, "amount": "400.00"},
        {"description": "Logo", "quantity": None, "unit_price": None, "amount": "150.00"},
    ],
    "total": "505.00",
}
NOTHING: dict[str, Any] = {**dict.fromkeys(RIGHT), "reasoning": "Nothing is clear.", "lines": []}


class Spelling(SpellingEngine):
    """The mask took something of four tokens in five."""

    def _token(self, place: int, token_id: int) -> Token:
        return Token(token_id, self.tokenizer.name(token_id), log(0.9), log(0.9 - place % 5 * 0.2))


def invoices(prompt: str) -> str:
    """What the model says of an invoice: right, contradictory, hostile, or nothing."""
    if "QS-" in prompt:
        return hostile.answer(prompt)
    if "MF-10422" in prompt:
        return json.dumps(RIGHT)
    return json.dumps(CONTRADICTORY if "8841" in prompt else NOTHING)


def receipts(drift: int) -> Callable[[str], str]:
    """What it says of a receipt: the first line, and the last amount, every `drift`-th one invented."""

    def answer(prompt: str) -> str:
        total = re.findall(r"\d+\.\d\d", prompt)[-1]
        wrong = len(prompt) % drift == 0
        found = {"company": None, "date": None, "address": None, "total": "99.99" if wrong else total}
        return json.dumps({"reasoning": "As printed.", **found})

    return answer


def build(folder: Path, model: Path, demo: Path) -> Settings:
    """The warehouse under `folder/home`: a run over invoices, two over receipts, an evaluation of the two."""
    settings = Settings(home=folder / "home", model=model, reader_workers=1)
    source = folder / "documents"
    source.mkdir()
    for name in SHOWN:
        shutil.copy(demo / "documents" / name, source / name)
    for name, text in hostile.DOCUMENTS.items():
        (source / name).write_text(text)
    run(settings, Order(str(source), "invoice@1", decoding="prompt-greedy"), invoices)
    till = str(demo / "receipts")
    runs = [
        run(settings, Order(till, "receipt@1", decoding="prompt-greedy"), receipts(2)),
        run(settings, Order(till, "receipt@1", decoding="prompt-sampled"), receipts(3)),
    ]
    asked = Asked(str(demo / "receipts-labels.jsonl"), "receipt@1", runs=tuple(runs))
    evaluation = evaluate(asked, settings)
    write_page(evaluation, settings.reports / f"evaluation-{evaluation.evaluation_id}.html")
    return settings


def run(settings: Settings, order: Order, answer: Callable[[str], str]) -> str:
    """One run on the fake engine; its run_id."""
    with planned(order, settings) as plan:
        engine = Factory(answer=answer, kind=Spelling)
        summary = carry_out(plan, start_engine=engine, console=Console(file=io.StringIO()))
    return str(summary.run_id)

"""Evaluations end to end on a real warehouse and real readers; only the engine is a fake, behind its own seam."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from flows.evaluate import evaluate
from flows.evaluation.asked import Asked
from flows.evaluation.comparison import comparison, comparison_lines
from flows.evaluation.result import Evaluation, Row
from flows.evaluation.terminal import lines
from flows.order import DocumentsFailed
from flows.settings import Settings
from schemas.decoding import Decoding
from schemas.errors import UsageError
from schemas.records import Attempt, Request
from tests.flows.fake_engine import DownEngine, Factory, FakeEngine, receipt
from warehouse.store import Warehouse

Evaluate = Callable[..., Evaluation]
INPUTS = 24


class Fickle(FakeEngine):
    """Right under `guided-greedy`; under prompt decodings every third document's JSON has text before it, and
    a sample with an odd seed leaves the total out."""

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:
        (attempt,) = await super().generate(request, decoding, document_id)
        if decoding.mode != "prompt":
            return [attempt]
        answer = json.loads(attempt.text)
        if decoding.seed % 2:
            answer["total"] = None
        number = int(answer["company"].split()[1])
        text = json.dumps(answer)
        return [replace(attempt, text=f"Sure: {text}" if number % 3 == 0 else text)]


@pytest.fixture
def settings(tmp_path: Path, model_dir: Path) -> Settings:
    return Settings(home=tmp_path / "home", model=model_dir, max_num_seqs=8, price_per_hour=3.6)


def label(number: int, **other: Any) -> dict[str, Any]:
    fields = {"company": f"COMPANY {number:04} SDN BHD", "total": f"{number}.50", "date": None}
    return {"file": f"docs/{number:02}.txt", "fields": {**fields, **other}}


def write(folder: Path, labels: list[dict[str, Any]], documents: int = INPUTS) -> Path:
    (folder / "docs").mkdir(exist_ok=True)
    for number in range(1, documents + 1):
        (folder / "docs" / f"{number:02}.txt").write_text(receipt(number))
    file = folder / "labels.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in labels))
    return file


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return write(tmp_path, [label(number) for number in range(1, INPUTS + 1)])


@pytest.fixture
def run(settings: Settings) -> Evaluate:
    def carry(labels: Path | None, *, kind: type[FakeEngine] = Fickle, **asked: Any) -> Evaluation:
        asked = {"schema": "receipt@1", "decodings": ("guided-greedy", "prompt-greedy"), **asked}
        order = Asked(labels=None if labels is None else str(labels), **asked)
        return evaluate(order, settings, start_engine=Factory(kind=kind), console=Console(file=io.StringIO()))

    return carry


def rows(settings: Settings, sql: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = Warehouse(settings.home).query(sql).to_pylist()
    return found


def row(evaluation: Evaluation, decoding: str, measure: str, field: str = "", of: str = "all inputs") -> Row:
    (arm,) = [arm for arm in evaluation.arms if arm.decoding == decoding]
    found = arm.row(measure, field, of)
    assert found is not None, (measure, field, of)
    return found


def test_rates_are_over_all_inputs_and_conditional_ones_beside_them(run: Evaluate, labels: Path) -> None:
    found = run(labels)
    good, bad = ("guided-greedy", "prompt-greedy")
    assert [row(found, good, name).value for name in ("parses", "fits", "exact", "right")] == [1, 1, 1, 1]
    # 8 of 24 have text before their JSON: they parse not, and each of their values is unanswered.
    assert row(found, bad, "fits").value == pytest.approx(16 / 24)
    assert row(found, bad, "exact").value == pytest.approx(16 / 24)
    assert row(found, bad, "exact", of="fits").value == 1.0
    assert row(found, bad, "unanswered", "/total").value == pytest.approx(8 / 24)
    assert row(found, bad, "right", "/date").value == pytest.approx(16 / 24)
    assert row(found, bad, "exact").judgement == "worse"
    assert row(found, bad, "unanswered").judgement == "worse"
    assert row(found, good, "exact").judgement is None
    edge = row(found, good, "exact")
    assert (edge.method, edge.high) == ("wilson", 1.0)
    assert edge.low is not None
    assert 0.8 < edge.low < 0.9
    assert found.arms[1].categories == {"text_before_json": pytest.approx(8 / 24)}


def test_samples_are_runs_with_other_seeds_and_are_averaged_by_input(
    run: Evaluate, labels: Path, settings: Settings
) -> None:
    found = run(labels, decodings=("prompt-greedy",), samples=2)
    seeds = rows(
        settings,
        "SELECT decoding->>'seed' AS seed, kind, documents FROM runs JOIN recipes USING (recipe_id) ORDER BY 1",
    )
    assert [(one["seed"], one["kind"], one["documents"]) for one in seeds] == [
        ("0", "evaluate", INPUTS),
        ("1", "evaluate", INPUTS),
    ]
    assert row(found, "prompt-greedy", "missed", "/total").value == pytest.approx(16 / 24 / 2)
    assert row(found, "prompt-greedy", "exact").value == pytest.approx(16 / 24 / 2)
    assert row(found, "prompt-greedy", "exact").inputs == INPUTS
    assert len(rows(settings, "FROM attempts")) == 2 * INPUTS


def test_an_evaluation_leaves_what_is_current_and_what_is_to_do_alone(
    run: Evaluate, labels: Path, settings: Settings
) -> None:
    run(labels, decodings=("guided-greedy",))
    run(labels, decodings=("guided-greedy",))
    assert rows(settings, "FROM current") == []
    (recipe,) = rows(settings, "SELECT recipe_id FROM recipes")
    assert Warehouse(settings.home).done(recipe["recipe_id"]) == set()
    assert len(rows(settings, "FROM extractions")) == 2 * INPUTS


def test_one_engine_serves_all_runs_and_is_closed(labels: Path, settings: Settings) -> None:
    factory = Factory(kind=Fickle)
    asked = Asked(str(labels), "receipt@1", ("guided-greedy", "prompt-greedy"), samples=2)
    evaluate(asked, settings, start_engine=factory, console=Console(file=io.StringIO()))
    assert len(factory.started) == 1
    assert (factory.started[0].requests, factory.started[0].closed) == (4 * INPUTS, True)


def test_missed_invented_and_wrong_are_told_apart(run: Evaluate, tmp_path: Path) -> None:
    """The fake answers null for the date and the right total."""
    labels = write(
        tmp_path,
        [
            *[label(number, date="2024-05-01") for number in range(1, 7)],
            *[label(number, total=None) for number in range(7, 13)],
            *[label(number, total="9999.99") for number in range(13, 25)],
        ],
    )
    found = run(labels, decodings=("guided-greedy",))
    assert row(found, "guided-greedy", "missed", "/date").value == pytest.approx(6 / 24)
    assert row(found, "guided-greedy", "right", "/date").value == pytest.approx(18 / 24)
    assert row(found, "guided-greedy", "invented", "/total").value == pytest.approx(6 / 24)
    assert row(found, "guided-greedy", "wrong", "/total").value == pytest.approx(12 / 24)
    assert row(found, "guided-greedy", "exact").value == 0.0
    # No answer is exactly right, so there is no number of tokens for each of them.
    assert row(found, "guided-greedy", "output tokens per exact").value is None

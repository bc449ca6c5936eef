"""Evaluations on a real warehouse and real readers; only the engine is a fake, behind its own seam."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from extractors.engines.base import Engine
from flows.evaluate import evaluate
from flows.evaluation.asked import Asked
from flows.evaluation.comparison import comparison
from flows.evaluation.inputs import answered
from flows.evaluation.result import Evaluation, Row
from flows.evaluation.terminal import comparison_lines, lines
from flows.order import DocumentsFailed
from flows.plan import Plan
from flows.settings import Settings
from schemas.decoding import Decoding
from schemas.errors import UsageError
from schemas.records import Attempt, Request
from tests.flows.fake_engine import DownEngine, Factory, FakeEngine, receipt
from tests.warehouse.holding import held
from warehouse.evaluations import LabelRow
from warehouse.rows import now
from warehouse.runs import new_run_id
from warehouse.store import Warehouse

Evaluate = Callable[..., Evaluation]
INPUTS = 24
GOOD, BAD = "guided-greedy", "prompt-greedy"


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


class Inventive(FakeEngine):
    """Right, but for every third document's total, which stands nowhere in it."""

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:
        (attempt,) = await super().generate(request, decoding, document_id)
        answer = json.loads(attempt.text)
        if int(answer["company"].split()[1]) % 3 == 0:
            answer["total"] = "7777.77"
        return [replace(attempt, text=json.dumps(answer))]


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


@dataclass(frozen=True)
class Done:
    """The evaluation that most tests look at: two decodings, two samples, all of it twice."""

    evaluation: Evaluation
    settings: Settings
    labels: Path
    factory: Factory

    def score(
        self, *decodings: str, labels: bool = True, sample: int | None = None, **asked: Any
    ) -> Evaluation:
        """The first time's runs of these decodings scored again, without an engine."""
        runs = [
            run.run_id
            for run in self.evaluation.runs
            if run.decoding in decodings and run.repeat == 0 and sample in (None, run.sample)
        ]
        source = str(self.labels) if labels else None
        return evaluate(Asked(source, runs=tuple(runs), **asked), self.settings)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory, model_dir: Path) -> Done:
    folder = tmp_path_factory.mktemp("evaluation")
    labels = write(folder, [label(number) for number in range(1, INPUTS + 1)])
    settings = Settings(home=folder / "home", model=model_dir, max_num_seqs=8, price_per_hour=3.6)
    factory = Factory(kind=Fickle)
    asked = Asked(str(labels), "receipt@1", (GOOD, BAD), samples=2, repeats=2)
    found = evaluate(asked, settings, start_engine=factory, console=Console(file=io.StringIO()))
    return Done(found, settings, labels, factory)


def test_rates_are_over_all_inputs_and_conditional_ones_beside_them(done: Done) -> None:
    found = done.score(GOOD, BAD, sample=0)
    assert [row(found, GOOD, name).value for name in ("parses", "fits", "exact", "right")] == [1, 1, 1, 1]
    # 8 of 24 have text before their JSON: they parse not, and each of their values is unanswered.
    assert row(found, BAD, "fits").value == pytest.approx(16 / 24)
    assert row(found, BAD, "exact").value == pytest.approx(16 / 24)
    assert row(found, BAD, "exact", of="fits").value == 1.0
    assert row(found, BAD, "unanswered", "/total").value == pytest.approx(8 / 24)
    assert row(found, BAD, "right", "/date").value == pytest.approx(16 / 24)
    assert found.arms[1].categories == {"text_before_json": pytest.approx(8 / 24)}


def test_intervals_and_paired_differences_stand_beside_the_rates(done: Done) -> None:
    found = done.score(GOOD, BAD, sample=0)
    assert row(found, BAD, "exact").judgement == "worse"
    assert row(found, BAD, "unanswered").judgement == "worse"
    assert row(found, BAD, "invented").judgement == "not separated"
    assert row(found, GOOD, "exact").judgement is None
    edge = row(found, GOOD, "exact")
    assert (edge.method, edge.high) == ("wilson", 1.0)
    assert edge.low is not None
    assert 0.8 < edge.low < 0.9
    turned = done.score(GOOD, BAD, sample=0, baseline=BAD)
    assert row(turned, GOOD, "exact").judgement == "better"
    assert row(turned, GOOD, "exact").difference == pytest.approx(8 / 24)


def test_samples_are_runs_with_other_seeds_and_are_averaged_by_input(done: Done) -> None:
    made = rows(
        done.settings,
        """SELECT decoding->>'name' AS name, decoding->>'seed' AS seed, kind, count(*) AS runs,
            sum(documents)::BIGINT AS documents
        FROM runs JOIN recipes USING (recipe_id) GROUP BY ALL ORDER BY ALL""",
    )
    told = [tuple(one.values()) for one in made]
    assert told == [(name, seed, "evaluate", 2, 2 * INPUTS) for name in (GOOD, BAD) for seed in "01"]
    assert len(rows(done.settings, "FROM attempts")) == 8 * INPUTS
    # The second sample leaves the total out: of 16 valid answers half are without it.
    assert row(done.evaluation, BAD, "missed", "/total").value == pytest.approx(16 / 24 / 2)
    assert row(done.evaluation, BAD, "exact").value == pytest.approx(16 / 24 / 2)
    assert row(done.evaluation, BAD, "exact").inputs == INPUTS


def test_an_evaluation_leaves_what_is_current_and_what_is_to_do_alone(done: Done) -> None:
    assert rows(done.settings, "FROM current") == []
    for recipe in rows(done.settings, "SELECT recipe_id FROM recipes"):
        assert Warehouse(done.settings.home).done(recipe["recipe_id"]) == set()


def test_one_engine_serves_all_runs_and_is_closed(done: Done) -> None:
    (engine,) = done.factory.started
    assert (engine.requests, engine.closed) == (8 * INPUTS, True)


def test_repeats_say_how_much_is_the_same(done: Done) -> None:
    assert row(done.evaluation, GOOD, "identical outputs").value == 1.0
    assert row(done.evaluation, BAD, "identical outputs").value == 1.0
    # Eight have no value either time: nothing identical about them.
    assert row(done.evaluation, BAD, "identical values").value == pytest.approx(16 / 24)


def test_a_slip_in_a_name_lands_no_label(done: Done) -> None:
    count = "SELECT count(*) AS n FROM labels"
    before = rows(done.settings, count)
    for slip in ({"rename": {"total": "totl"}}, {"without": frozenset({"totl"})}):
        with pytest.raises(UsageError, match="near total"):
            done.score(GOOD, **slip)
    assert rows(done.settings, count) == before


def test_runs_that_exist_are_scored_without_an_engine(done: Done) -> None:
    given = tuple(one.run_id for one in done.evaluation.runs)
    again = evaluate(Asked(str(done.labels), runs=given), done.settings)
    assert again.runs == tuple(sorted(done.evaluation.runs, key=lambda one: one.run_id))
    assert [arm.rows for arm in again.arms] == [arm.rows for arm in done.evaluation.arms]
    with pytest.raises(UsageError, match="no run starts with 'zz'"):
        evaluate(Asked(str(done.labels), runs=("zz",)), done.settings)
    with pytest.raises(UsageError, match=r"of receipt@1, not of review@1"):
        evaluate(Asked(str(done.labels), "review@1", runs=given), done.settings)


def test_the_warehouse_keeps_rates_and_inputs(done: Done) -> None:
    found = done.score(GOOD, BAD, sample=0)
    mine = f"WHERE evaluation_id = '{found.evaluation_id}' AND decoding = '{BAD}' AND measure = 'exact'"
    kept = {one["of"]: one for one in rows(done.settings, f"FROM evaluations {mine}")}
    rate = row(found, BAD, "exact")
    assert kept["fits"]["value"] == 1.0
    of_all = kept["all inputs"]
    names = ("value", "low", "high", "difference", "difference_low", "difference_high", "judgement")
    assert {name: of_all[name] for name in names} == {name: getattr(rate, name) for name in names}
    wrong = rows(done.settings, f"FROM evaluation_inputs {mine} AND \"of\" = 'all inputs' AND value = 0")
    assert len(wrong) == 8


def test_the_warehouse_keeps_labels_once_and_they_can_be_measured_against(done: Done) -> None:
    done.score(GOOD)
    assert len(rows(done.settings, "FROM labels")) == 3 * INPUTS
    again = done.score(GOOD, labels=False)
    assert row(again, GOOD, "exact").value == 1.0
    assert len(again.inputs.items) == INPUTS
    some = again.inputs.items[0].document_id
    by_hand = LabelRow(new_run_id(), some, "receipt@1", "/total", '"0.01"', "me", "desk", now())
    Warehouse(done.settings.home).add_labels([by_hand])
    assert row(done.score(GOOD, labels=False), GOOD, "exact").value == pytest.approx(23 / 24)


def test_two_evaluations_are_compared_input_by_input(done: Done) -> None:
    one, two = done.score(GOOD, sample=0), done.score(BAD, sample=0)
    found = comparison(Warehouse(done.settings.home), one.evaluation_id, two.evaluation_id)
    assert (found.inputs, found.same_labels, found.only_one) == (INPUTS, True, ())
    (pair,) = found.pairs
    exact = next(
        second for first, second in pair.rows if (first.measure, first.of) == ("exact", "all inputs")
    )
    assert exact.difference == pytest.approx(-8 / 24)
    assert exact.judgement == "worse"
    assert any("worse" in line and "exactly right" in line for line in comparison_lines(found))
    with pytest.raises(UsageError, match="no evaluation starts with"):
        comparison(Warehouse(done.settings.home), one.evaluation_id, "none")


def test_the_terminal_tells_the_conditional_rates_apart(done: Done) -> None:
    told = list(lines(done.score(GOOD, BAD, sample=0)))
    assert any(line.startswith("exactly right") and "0.667" in line and "▼" in line for line in told)
    assert any(line.startswith("  exactly right, of those that fit the schema") for line in told)
    assert any(line.startswith("/total unanswered") for line in told)


def test_a_limit_draws_inputs_by_the_seed(done: Done) -> None:
    drawn = [
        {item.document_id for item in done.score(GOOD, limit=4, seed=seed).inputs.items} for seed in (1, 1, 2)
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    assert {len(one) for one in drawn} == {4}


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


def test_what_has_no_partner_is_listed_and_few_inputs_are_warned_of(run: Evaluate, tmp_path: Path) -> None:
    labels = write(tmp_path, [*[label(number) for number in range(1, 6)], label(77)], documents=7)
    found = run(labels, decodings=("guided-greedy",))
    assert len(found.inputs.items) == 5
    assert found.inputs.undocumented == ("docs/77.txt",)
    assert [Path(uri).name for uri in found.inputs.unlabelled] == ["06.txt", "07.txt"]
    told = "\n".join(found.notes)
    assert "only 5 inputs" in told
    assert "1 labels have no document: docs/77.txt" in told
    assert "2 documents have no label" in told


def test_a_label_field_that_the_schema_lacks_is_named_before_anything_runs(
    run: Evaluate, tmp_path: Path, settings: Settings
) -> None:
    labels = write(tmp_path, [label(1, totals="1.50")])
    with pytest.raises(UsageError, match=r"totals.*total"):
        run(labels)
    assert not Warehouse(settings.home).database.exists() or rows(settings, "FROM runs") == []
    assert run(labels, without=frozenset({"totals"}), decodings=("guided-greedy",)).arms[0].row("exact")


def test_costs_count_every_attempt(run: Evaluate, labels: Path, settings: Settings) -> None:
    found = run(labels, decodings=("prompt-retry",))
    (spent,) = rows(
        settings, "SELECT sum(output_tokens)::BIGINT AS tokens, count(*) AS attempts FROM attempts"
    )
    assert spent["attempts"] > INPUTS
    exact = row(found, "prompt-retry", "exact").value
    assert exact is not None
    assert row(found, "prompt-retry", "output tokens per exact").value == pytest.approx(
        spent["tokens"] / (exact * INPUTS)
    )


def test_an_engine_that_is_down_measures_nothing(run: Evaluate, labels: Path, settings: Settings) -> None:
    with pytest.raises(DocumentsFailed) as error:
        run(labels, kind=DownEngine, decodings=("guided-greedy",))
    assert error.value.summary.exit_code == 1
    assert rows(settings, "FROM evaluations") == []


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"decodings": ()}, "--decodings: name at least one"),
        ({"decodings": ("a", "a")}, "named twice"),
        ({"decodings": ("a",), "baseline": "b"}, "--baseline b"),
        ({"decodings": ("a",), "runs": ("r",)}, "leave out --decodings"),
        ({"decodings": (), "runs": ("r",), "samples": 2}, "no --samples"),
        ({"decodings": ("a",), "schema": None}, "--schema"),
    ],
)
def test_options_that_do_not_go_together_are_named(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Asked(**{"labels": "labels.jsonl", "schema": "receipt@1", **asked})


def test_copies_are_one_input_and_their_labels_are_told(run: Evaluate, tmp_path: Path) -> None:
    labels = write(tmp_path, [label(1), label(2), {**label(1), "file": "docs/copy.txt"}], documents=2)
    (tmp_path / "docs" / "copy.txt").write_text(receipt(1))
    found = run(labels, decodings=("guided-greedy",))
    assert len(found.inputs.items) == 2
    assert (found.inputs.undocumented, found.inputs.unlabelled) == ((), ())
    assert [one.reference for one in found.inputs.problems] == ["docs/copy.txt"]


def test_checks_are_held_against_the_truth_by_level_and_by_field(run: Evaluate, tmp_path: Path) -> None:
    """The answers are right and grounded but for every third, whose total no document holds."""
    labels = write(tmp_path, [label(number) for number in range(1, INPUTS + 1)])
    found = run(labels, kind=Inventive, decodings=("guided-greedy",))
    part = "of outputs that fit the schema"
    for check, field in (("any", ""), ("grounding", ""), ("ungrounded", ""), ("grounding", "/total")):
        told = f"check {check}"
        assert row(found, "guided-greedy", f"{told}: flagged", field, part).value == pytest.approx(8 / 24)
        assert (
            row(found, "guided-greedy", f"{told}: wrong among flagged (precision)", field, part).value == 1.0
        )
        assert row(found, "guided-greedy", f"{told}: flagged among wrong (recall)", field, part).value == 1.0
        assert row(found, "guided-greedy", f"{told}: right among accepted", field, part).value == 1.0
    assert row(found, "guided-greedy", "check consistency: flagged", of=part).value == 0.0


def test_failure_kinds_are_rates_of_their_own(done: Done) -> None:
    found = done.score(GOOD, BAD, sample=0)
    kind = "category text_before_json"
    assert row(found, GOOD, kind).value == 0.0
    assert row(found, BAD, kind).value == pytest.approx(8 / 24)
    assert row(found, BAD, kind).judgement == "worse"


def test_an_interrupted_evaluation_measures_nothing_and_closes_its_engine(
    labels: Path, settings: Settings
) -> None:
    class Interrupting(FakeEngine):
        async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:
            if self.requests == 6:
                os.kill(os.getpid(), signal.SIGINT)
                await asyncio.sleep(30)
            return await super().generate(request, decoding, document_id)

    factory = Factory(kind=Interrupting)
    asked = Asked(str(labels), "receipt@1", (GOOD, BAD))
    with pytest.raises(DocumentsFailed) as error:
        evaluate(asked, settings, start_engine=factory, console=Console(file=io.StringIO()))
    assert error.value.summary.exit_code == 130
    assert factory.started[0].closed
    assert [one["status"] for one in rows(settings, "FROM runs")] == ["interrupted"]
    assert rows(settings, "FROM evaluations") == []


def test_texts_that_stand_in_labels_are_documents(run: Evaluate, tmp_path: Path, settings: Settings) -> None:
    held = [
        {"id": f"r-{number}", "text": receipt(number), "fields": label(number)["fields"]}
        for number in range(1, 4)
    ]
    file = tmp_path / "labels.jsonl"
    file.write_text("\n".join(map(json.dumps, held)))
    found = run(file, decodings=(GOOD,))
    assert row(found, GOOD, "exact").value == 1.0
    assert [item.label.reference for item in found.inputs.items] == ["r-1", "r-2", "r-3"]
    assert (found.inputs.unlabelled, found.inputs.undocumented) == ((), ())
    # The home may move: such a document is known by its content, not by its path.
    settings.home.rename(tmp_path / "moved")
    moved = settings.model_copy(update={"home": tmp_path / "moved"})
    again = evaluate(Asked(str(file), runs=(found.runs[0].run_id,)), moved)
    assert len(again.inputs.items) == 3


def test_a_purged_document_is_not_measured_and_nothing_of_it_comes_back(
    run: Evaluate, tmp_path: Path, settings: Settings
) -> None:
    file = write(tmp_path, [label(number) for number in range(1, 4)], documents=3)
    held = [{"id": f"t-{number}", "text": receipt(number), **label(number)} for number in (8, 9)]
    with_texts = tmp_path / "texts.jsonl"
    with_texts.write_text("\n".join(json.dumps({**one, "file": None}) for one in held))
    run(file, decodings=(GOOD,))
    run(with_texts, decodings=(GOOD,))
    warehouse = Warehouse(settings.home)
    gone = [sha256(receipt(number).encode()).hexdigest() for number in (2, 9)]
    warehouse.purge(warehouse.doomed(gone), "", "tester")
    found, texts = run(file, decodings=(GOOD,)), run(with_texts, decodings=(GOOD,))
    assert [item.label.reference for item in found.inputs.items] == ["docs/01.txt", "docs/03.txt"]
    assert found.inputs.undocumented == ("docs/02.txt",)
    assert [(one.reference, one.reason) for one in texts.inputs.problems] == [
        ("t-9", "its document was purged")
    ]
    known = rows(settings, "SELECT document_id FROM documents UNION SELECT document_id FROM labels")
    assert len(known) == 3
    assert not {row["document_id"] for row in known} & set(gone)
    assert not (settings.home / "texts" / f"{gone[1]}.txt").exists()


def test_what_some_run_has_no_outcome_for_is_listed_and_not_measured(done: Done) -> None:
    inputs = done.evaluation.inputs
    known = [(item.document_id, item.uri) for item in inputs.items]
    assert answered(inputs, known) == inputs
    left = answered(inputs, known[1:])
    assert (len(left.items), left.partial) == (len(known) - 1, (known[0][1],))
    with pytest.raises(UsageError, match="no document"):
        answered(inputs, [])


def test_a_reader_at_the_end_of_a_run_is_waited_for(labels: Path, settings: Settings) -> None:
    """The run ends with its shards in staging; an evaluation has to have them."""
    factory = Factory(kind=Fickle)
    with ExitStack() as stack:

        async def start(plan: Plan) -> Engine:
            stack.enter_context(held(Warehouse(settings.home).database))
            threading.Timer(7.0, stack.close).start()
            return await factory(plan)

        asked = Asked(str(labels), "receipt@1", (GOOD,))
        found = evaluate(asked, settings, start_engine=start, console=Console(file=io.StringIO()))
    assert (len(found.inputs.items), found.inputs.partial) == (INPUTS, ())
    assert row(found, GOOD, "exact").value == 1.0

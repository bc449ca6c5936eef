"""`assay diff`, and what labels add to it."""

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flows.cli import app
from flows.difference import compare_runs
from flows.evaluation.asked import Asked
from flows.evaluation.known import known_labels
from flows.review.answer import labelled
from flows.settings import Settings
from schemas.errors import UsageError
from schemas.records import Extraction, Status
from schemas.registry import load
from tests.warehouse.samples import RECIPE, document, extraction, sha
from warehouse.evaluations import LabelRow
from warehouse.rows import now
from warehouse.store import Warehouse

NAMES = "abcdef"


def value(total: str) -> str:
    answer = {"reasoning": "r", "company": None, "date": None, "address": None, "total": total}
    return json.dumps(answer)


def outcome(name: str, run_id: str, total: str) -> Extraction:
    one = extraction(name, run_id, value=value(total))
    return replace(one, fields=(replace(one.fields[0], value=f'"{total}"'),))


def run(warehouse: Warehouse, totals: str) -> str:
    """A run in which the document at each place of `totals` got that total."""
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/", retry=set(Status))
    rows = [outcome(name, run_id, f"{total}.00") for name, total in zip(NAMES, totals, strict=True)]
    warehouse.stage(run_id, run_id, [document(name) for name in NAMES], rows)
    warehouse.land()
    return run_id


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def runs(home: Path) -> tuple[str, str]:
    """Labels say 1 for each document but the last: the first run has two of five right, the second four."""
    warehouse = Warehouse(home)
    found = run(warehouse, "112291"), run(warehouse, "111211")
    moment = now()
    for index, name in enumerate(NAMES[:-1]):
        row = LabelRow(str(index), sha(name), "receipt@1", "/total", '"1.00"', "me", "labels.csv", moment)
        warehouse.add_labels([row])
    return found


def test_labels_say_which_run_is_right(home: Path, runs: tuple[str, str]) -> None:
    found = compare_runs(Warehouse(home), Settings(home=home), *runs)
    assert found.changes == {"fixed": 0, "broken": 0, "changed": 2, "same": 4, "added": 0, "removed": 0}
    judged = found.judged
    assert judged is not None
    assert (judged.documents, judged.old, judged.new) == (5, 0.4, 0.8)
    assert (judged.fixed, judged.broken) == (2, 0)
    assert judged.difference.low < judged.difference.difference < judged.difference.high
    assert judged.difference.difference == pytest.approx(0.4)


def call(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["diff", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_command_lists_changes_and_sums_up(runs: tuple[str, str]) -> None:
    told = call(*runs)
    assert "2 changed, 4 same" in told
    assert "40.0% → 80.0% of 5 labelled documents exactly right: +0.400 [" in told
    assert [line.split()[0] for line in told.splitlines()[2:4]] == ["changed", "changed"]


def test_json_holds_rows_summary_and_interval(runs: tuple[str, str]) -> None:
    told = json.loads(call(*runs, "--json", "--limit", "1"))
    assert (told["run_a"], told["run_b"], told["summary"]["changed"]) == (*runs, 2)
    (row,) = told["changes"]
    assert (row["pointer"], row["old_value"], row["new_value"]) == ("/total", '"2.00"', '"1.00"')
    assert (row["old_span"], row["new_span"]) == ("6-11", "6-11")
    assert told["labelled"]["difference"]["low"] < 0.4


def test_without_labels_there_is_no_claim(home: Path) -> None:
    warehouse = Warehouse(home)
    runs = run(warehouse, "111111"), run(warehouse, "111112")
    assert compare_runs(warehouse, Settings(home=home), *runs).judged is None
    assert "exactly right" not in call(*runs)


def test_a_label_of_one_row_alone_makes_no_claim_and_costs_no_diff(home: Path) -> None:
    """A label of one value of a list says nothing of an answer, unless the whole list is labelled too."""
    warehouse = Warehouse(home)
    runs = [warehouse.start_run("extract", "invoice@2", RECIPE, "in/") for _ in "ab"]

    def add(number: str, pointer: str, value: str) -> None:
        label = LabelRow(number, sha("a"), "invoice@2", pointer, value, "me", "the review desk", now())
        warehouse.add_labels([label])

    add("1", "/lines/0/line_total", '"1.00"')
    assert compare_runs(warehouse, Settings(home=home), *runs).judged is None
    asked, schema = Asked(None, "invoice@2", runs=tuple(runs)), load().resolve("invoice@2")
    with pytest.raises(UsageError, match="no labels for invoice@2 that"):
        known_labels(asked, schema, warehouse)
    add("2", "/invoice_number", '"X1"')
    (label,) = known_labels(asked, schema, warehouse).rows
    assert label.fields == {"invoice_number": "X1"}  # and not that the invoice has one row
    add("3", "/lines", '[{"line_total": "2.00"}]')
    add("4", "/lines/0/line_total", '"3.00"')
    add("5", "/lines/1/line_total", '"4.00"')
    (label,) = known_labels(asked, schema, warehouse).rows
    assert label.fields["lines"] == [{"line_total": Decimal("3.00")}]


def test_a_row_put_right_at_the_desk_labels_its_list_and_counts(home: Path) -> None:
    answer = {"reasoning": "", "lines": [{"line_total": "1.00"}, {"line_total": "2.00"}]}
    warehouse = Warehouse(home)
    for number, (pointer, said) in enumerate(labelled(answer, "/lines/1/line_total")):
        said_so = json.dumps(said)
        row = LabelRow(str(number), sha("a"), "invoice@2", pointer, said_so, "me", "review", now())
        warehouse.add_labels([row])
    (label,) = known_labels(
        Asked(None, "invoice@2", runs=("r",)), load().resolve("invoice@2"), warehouse
    ).rows
    assert [row["line_total"] for row in label.fields["lines"]] == [Decimal("1.00"), Decimal("2.00")]


def test_runs_of_two_schemas_are_refused(home: Path) -> None:
    warehouse = Warehouse(home)
    of_one, of_other = (warehouse.start_run("extract", ref, RECIPE, "in/") for ref in ("nda@1", "receipt@1"))
    told = str(CliRunner().invoke(app, ["diff", of_one, of_other]).exception)
    assert told.startswith("the runs are of nda@1 and receipt@1: choose two of one schema")


def test_unknown_runs_are_refused(runs: tuple[str, str]) -> None:
    assert "no run starts with" in str(CliRunner().invoke(app, ["diff", "zzz", runs[0]]).exception)

"""`assay evaluate` as a command: wrong requests are one line, and scored runs come out as asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from flows.cli import app
from flows.order import Order
from flows.settings import Settings
from schemas.errors import AssayError
from tests.flows.fake_engine import receipt
from tests.flows.nights import carried


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, model_dir: Path) -> Path:
    """A home with two runs over three receipts, and labels of two of them."""
    folder = tmp_path_factory.mktemp("evaluate")
    (folder / "docs").mkdir()
    for number in (1, 2, 3):
        (folder / "docs" / f"{number}.txt").write_text(receipt(number))
    rows = [{"file": f"docs/{number}.txt", "fields": {"total": f"{number}.50"}} for number in (1, 2)]
    (folder / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)))
    settings = Settings(home=folder / "home", model=model_dir)
    for decoding in ("guided-greedy", "prompt-greedy"):
        carried(Order(str(folder / "docs"), "receipt@1", decoding), settings)
    return folder


@pytest.fixture
def invoke(folder: Path, model_dir: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.setenv("ASSAY_HOME", str(folder / "home"))
    monkeypatch.setenv("ASSAY_MODEL", str(model_dir))
    monkeypatch.chdir(folder)
    return CliRunner()


def call(runner: CliRunner, *arguments: str) -> Result:
    return runner.invoke(app, ["evaluate", *arguments])


def test_runs_are_scored_and_compared(invoke: CliRunner, folder: Path) -> None:
    listed = json.loads(invoke.invoke(app, ["runs", "--json"]).stdout)
    newest, oldest = (row["run_id"] for row in listed)
    page = folder / "page.html"
    done = call(invoke, "labels.jsonl", "--from", oldest, newest, "--json", "--page", str(page))
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert [arm["decoding"] for arm in found["decodings"]] == ["guided-greedy", "prompt-greedy"]
    assert found["documents_without_labels"] == [str(folder / "docs" / "3.txt")]
    assert page.read_text().startswith("<!doctype html>")
    told = call(invoke, "--compare", found["evaluation_id"], found["evaluation_id"])
    assert told.exit_code == 0, told.output
    assert "only 2 inputs" in told.stdout
    assert "exactly right" in told.stdout


def test_the_table_and_its_warnings(invoke: CliRunner, folder: Path) -> None:
    runs = [row["run_id"] for row in json.loads(invoke.invoke(app, ["runs", "--json"]).stdout)]
    done = call(invoke, "labels.jsonl", "--from", runs[0], "--page", str(folder / "one.html"))
    assert done.exit_code == 0, done.output
    assert "exactly right" in done.stdout
    assert "assay: only 2 inputs" in done.stderr
    assert "1 documents have no label" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.jsonl", "--schema", "receipt@1", "--decodings", "guided-greedy"], "nowhere.jsonl"),
        (["labels.jsonl", "--schema", "receipt@9", "--decodings", "guided-greedy"], "receipt@9"),
        (["labels.jsonl", "--schema", "receipt@1", "--decodings", "guided-gredy"], "guided-gredy"),
        (["labels.jsonl", "--schema", "receipt@1"], "--decodings"),
        (["labels.jsonl", "--schema", "review@1", "--decodings", "guided-greedy"], "total"),
        (["labels.jsonl", "--from", "zz"], "zz"),
        (["labels.jsonl", "docs", "--schema", "receipt@1", "--decodings", "a"], "one file of labels"),
        (["--schema", "review@1", "--decodings", "guided-greedy"], "the warehouse has no labels"),
        (["labels.jsonl", "--rename", "total", "--schema", "receipt@1", "--decodings", "a"], "OLD=NEW"),
        (["labels.jsonl", "--from", "0", "--locale", "xx_YY"], "there is no such locale"),
        (["labels.jsonl", "--from", "0", "--seed", str(2**63)], "--seed: a whole number below"),
        (["--from", "0", "--without", "total"], "name one"),
        (["labels.jsonl", "--from", "0", "--page", "docs"], "--page docs: that is a folder"),
        (["labels.jsonl", "--from", "0", "--page", "labels.jsonl/x.html"], "labels.jsonl cannot be written"),
        (["--compare", "one"], "name two evaluations"),
        (["--compare", "one", "two"], "no evaluation starts with 'one'"),
    ],
)
def test_wrong_requests_say_what_is_wrong(invoke: CliRunner, arguments: list[str], told: str) -> None:
    done = call(invoke, *arguments)
    assert isinstance(done.exception, AssayError), done.output
    assert told in str(done.exception)

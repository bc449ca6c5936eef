"""The command line, through Typer's runner and as a real process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from flows.cli import app
from flows.order import Order
from flows.settings import Settings
from schemas.errors import AssayError
from tests.flows.fake_engine import receipt
from tests.flows.nights import carried
from warehouse.store import Warehouse


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, model_dir: Path) -> Path:
    """A home with one run over three receipts, the last of them hostile."""
    folder = tmp_path_factory.mktemp("cli")
    source = folder / "source"
    source.mkdir()
    (source / "a.txt").write_text(receipt(1))
    (source / "b.txt").write_text("請求書 合計\n" + receipt(2))
    (source / "c.txt").write_text("\x1b[2J\x1b]0;owned\x07 \u202e" + receipt(3).replace("TOTAL 3.50", "SUM"))
    settings = Settings(home=folder / "home", model=model_dir)
    carried(Order(str(source), "receipt@1"), settings)
    return folder / "home"


@pytest.fixture
def assay(home: Path, model_dir: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.setenv("ASSAY_HOME", str(home))
    monkeypatch.setenv("ASSAY_MODEL", str(model_dir))
    return CliRunner()


def asked(assay: CliRunner, *arguments: str) -> Result:
    return assay.invoke(app, list(arguments), catch_exceptions=True)


def process(root: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "ASSAY_HOME": str(home)}
    command = [sys.executable, "-m", "flows.cli", *arguments]
    return subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=60
    )


def test_help_loads_nothing_heavy(root: Path) -> None:
    heavy = "{'prefect', 'vllm', 'torch', 'pandas', 'great_expectations', 'duckdb', 'pydantic', 'pyarrow'}"
    code = f"import sys, flows.cli; print(sorted({heavy} & set(sys.modules)))"
    printed = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert printed.stdout.strip() == "[]"
    assert process(root, root, "--help").returncode == 0


def test_sql_loads_neither_prefect_nor_the_engine(root: Path, home: Path) -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from flows.cli import app;"
        "print(CliRunner().invoke(app, ['sql', 'select 1 as one']).output);"
        "print(sorted({'prefect', 'vllm', 'torch'} & set(sys.modules)))"
    )
    environment = {**os.environ, "ASSAY_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
    assert "one" in done.stdout


def test_sql_gives_rows_as_json(assay: CliRunner) -> None:
    result = asked(
        assay, "sql", "--json", "SELECT count(*) AS n, 1.50::DECIMAL(9,2) AS money FROM extractions"
    )
    assert json.loads(result.stdout) == [{"n": 3, "money": "1.50"}]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM extractions",
        "CREATE TABLE x (a INT)",
        "COPY documents TO '/tmp/assay-leak.csv'",
        "SELEC 1",
    ],
)
def test_sql_can_change_nothing_and_says_so_in_words(root: Path, home: Path, statement: str) -> None:
    done = process(root, home, "sql", statement)
    assert done.returncode == 2
    assert done.stderr.startswith("assay: ")
    assert "Traceback" not in done.stderr
    assert len(Warehouse(home).query("SELECT 1 FROM extractions")) == 3


def test_runs_and_failures(assay: CliRunner) -> None:
    (run,) = json.loads(asked(assay, "runs", "--json").stdout)
    assert (run["status"], run["documents"], run["schema"]) == ("finished", 3, "receipt@1")
    for arguments in (("failures", "--json"), ("failures", "--run", run["run_id"][:13], "--json")):
        assert isinstance(json.loads(asked(assay, *arguments).stdout), list)
    assert run["run_id"] in asked(assay, "runs").stdout


def test_show_marks_spans_and_obeys_nothing(assay: CliRunner) -> None:
    shown = asked(assay, "show", "b.txt").stdout
    assert "⟦2.50⟧" in shown
    hostile = asked(assay, "show", "c.txt").stdout
    assert not any((ord(char) < 0x20 and char != "\n") or char == "\u202e" for char in hostile)


def test_show_finds_by_id_address_and_name(assay: CliRunner) -> None:
    by_name = json.loads(asked(assay, "show", "a.txt", "--json").stdout)
    by_id = json.loads(asked(assay, "show", by_name["document_id"][:10], "--json").stdout)
    by_uri = json.loads(asked(assay, "show", by_name["uri"], "--json").stdout)
    assert by_name == by_id == by_uri
    assert {field["pointer"] for field in by_name["fields"]} >= {"/company", "/total"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("show", "nothing-like-it"), "no document"),
        (("failures", "--run", "zzz"), "no run"),
        (("extract", "nowhere.txt", "--schema", "receipt@9"), "receipt@1"),
        (("extract", ".", "--schema", "receipt@1", "--decoding", "warm"), "guided-greedy"),
        (("extract", ".", "--schema", "receipt@1", "--retry", "accepted"), "failed or rejected"),
        (("decodings", "show", "nope"), "guided-greedy"),
        (("sql", "select 1; select 2"), "one statement"),
        (("sql", " ; "), "empty"),
    ],
)
def test_what_a_person_can_put_right_is_an_assay_error(
    assay: CliRunner, arguments: tuple[str, ...], told: str
) -> None:
    result = asked(assay, *arguments)
    assert isinstance(result.exception, AssayError)
    assert told in str(result.exception)


def test_errors_are_one_line_and_exit_two(root: Path, home: Path, tmp_path: Path) -> None:
    for arguments, told in (
        (("show", "nothing"), "no document 'nothing'"),
        (("extract", str(tmp_path / "none"), "--schema", "receipt@1"), "none"),
        (("extract",), "Missing argument 'source': see `assay extract --help`"),
        (
            ("runs", "--limt", "3"),
            "No such option: --limt (Possible options: --limit): see `assay runs --help`",
        ),
        (("sql", "select 1 from failure"), 'failure does not exist! Did you mean "failures"?'),
        (("rerun", "--schema", "receipt@1", "--where", "nosuch = 1"), "a condition is over"),
    ):
        done = process(root, home, *arguments)
        assert done.returncode == 2, done.stderr
        (line,) = done.stderr.splitlines()
        assert line.startswith("assay: ")
        assert told in line
        assert done.stdout == ""


def test_sql_that_is_wrong_is_shown_with_a_caret(root: Path, home: Path) -> None:
    done = process(root, home, "sql", "select 1,\n 2 fro x")
    said, shown, caret = done.stderr.splitlines()
    assert (said.startswith("assay: that SQL has no answer: Parser Error"), shown) == (True, "   2 fro x")
    assert (shown[caret.index("^")], caret.strip("^ ")) == ("x", "")


def test_without_words_a_command_gives_its_help(root: Path) -> None:
    done = process(root, root, "export")
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: assay export")


def test_looking_creates_no_warehouse(root: Path, tmp_path: Path) -> None:
    done = process(root, tmp_path / "absent", "runs")
    assert done.returncode == 2
    assert not (tmp_path / "absent").exists()


def test_dry_run_lists_and_does_nothing(assay: CliRunner, home: Path, tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text(receipt(77))
    before = Warehouse(home).query("SELECT count(*) FROM documents").to_pylist()
    result = asked(assay, "extract", str(tmp_path), "--schema", "receipt@1", "--dry-run", "--json")
    assert [Path(blob["uri"]).name for blob in json.loads(result.stdout)["todo"]] == ["new.txt"]
    assert Warehouse(home).query("SELECT count(*) FROM documents").to_pylist() == before


def test_decodings_and_schemas(assay: CliRunner) -> None:
    assert "guided-greedy" in asked(assay, "decodings", "list").stdout
    assert json.loads(asked(assay, "decodings", "show", "guided-greedy", "--json").stdout)["temperature"] == 0
    assert "receipt@1" in asked(assay, "schemas", "list").stdout
    printed = json.loads(asked(assay, "schemas", "show", "receipt@1").stdout)
    assert next(iter(printed["properties"])) == "reasoning"

"""`assay schemas lint` with a decoding backend, and with schemas that are not the same each time."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from flows.cli import app
from schemas.errors import SettingError

NUMBERED = """
    from schemas.contract import ExtractionSchema, Reasoning
    from typing import Annotated, Literal
    from pydantic import Field, StringConstraints

    class Ticket(ExtractionSchema):
        reasoning: Reasoning
        code: Annotated[str, StringConstraints(pattern="^[A-Z]+$", max_length=4)] | None
        grade: Annotated[int, Field(ge=1, le=6)] | None
"""
SHUFFLED = """
    from schemas.contract import ExtractionSchema, Reasoning
    from typing import Literal

    class Ticket(ExtractionSchema):
        reasoning: Reasoning
        state: Literal[tuple({"open", "closed", "lost", "found", "paid", "owed"})] | None
"""


@pytest.fixture
def assay(tmp_path: Path, model_dir: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    (tmp_path / "own").mkdir()
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ASSAY_MODEL", str(model_dir))
    monkeypatch.setenv("ASSAY_SCHEMAS", str(tmp_path / "own"))
    return CliRunner()


def written(tmp_path: Path, name: str, source: str) -> str:
    folder = tmp_path / "own" / name
    folder.mkdir()
    (folder / "v1.py").write_text(textwrap.dedent(source))
    return f"{name}@1"


def asked(assay: CliRunner, *arguments: str) -> Result:
    return assay.invoke(app, ["schemas", "lint", *arguments])


def found(result: Result, code: str) -> dict[str, str]:
    """Pointer -> message of a rule's findings."""
    return {one["pointer"]: one["message"] for one in json.loads(result.stdout) if one["code"] == code}


def test_the_default_backend_holds_to_a_pattern_beside_a_length(assay: CliRunner, tmp_path: Path) -> None:
    ref = written(tmp_path, "numbered", NUMBERED)
    done = asked(assay, ref, "--backend", "guidance", "--json")
    assert done.exit_code == 0
    assert found(done, "S010") == {}


def test_a_bound_that_outlines_ignores_is_named(
    assay: CliRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSAY_MODEL")  # over bytes an automaton is quick to build
    ref = written(tmp_path, "graded", NUMBERED)
    done = asked(assay, ref, "--backend", "outlines", "--json")
    messages = found(done, "S010")
    assert "Not enforced by outlines: m" in messages["/grade"]
    assert "Not enforced by outlines: pattern" in messages["/code"]


def test_odd_members_of_an_enum_are_warned_of(assay: CliRunner) -> None:
    done = asked(assay, "invoice@2", "--json")
    assert done.exit_code == 0
    assert "CZK = C|Z|K" in found(done, "S017")["/currency"]


def test_without_a_model_bytes_are_tried_and_that_is_said(
    assay: CliRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSAY_MODEL")
    done = asked(assay, "receipt@1", "--json")
    assert done.exit_code == 0
    assert "no model is set up" in done.stderr
    assert found(done, "S010") == {"/date": 'Not enforced by guidance: format; "2023-02-29" gets through.'}
    assert found(done, "S017") == {}


def test_a_schema_that_is_another_in_each_process_is_an_error(assay: CliRunner, tmp_path: Path) -> None:
    ref = written(tmp_path, "shuffled", SHUFFLED)
    done = asked(assay, ref, "--json")
    assert done.exit_code == 1
    assert "processes built" in found(done, "S018")[""]


def test_an_unknown_backend_is_refused_with_what_there_is(assay: CliRunner) -> None:
    done = asked(assay, "receipt@1", "--backend", "magic")
    assert isinstance(done.exception, SettingError)
    assert "guidance, xgrammar, outlines" in str(done.exception)

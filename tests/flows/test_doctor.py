"""What `assay doctor` says, of data that shows each symptom."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flows.cli import app
from schemas.records import Category, Ending, Match, Status
from tests.warehouse.test_symptoms import answer, begin, land, scored
from warehouse.store import Warehouse

Doctor = Callable[..., str]


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(tmp_path / "home")


@pytest.fixture
def doctor(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> Doctor:
    monkeypatch.setenv("ASSAY_HOME", str(warehouse.home))

    def ask(*arguments: str) -> str:
        found = CliRunner().invoke(app, ["doctor", *arguments])
        assert found.exit_code == 0, found.exception
        return found.stdout

    return ask


def test_nothing_to_say(warehouse: Warehouse, doctor: Doctor) -> None:
    land(warehouse, begin(warehouse), a=answer("1"))
    assert doctor() == "no symptom applies, and no run is in quarantine\n"
    assert json.loads(doctor("--json")) == {"symptoms": [], "quarantined": []}


def test_answers_that_are_cut(warehouse: Warehouse, doctor: Doctor) -> None:
    cut = {"text": "{", "ending": Ending.LENGTH, "value": None, "status": Status.REJECTED}
    land(
        warehouse, begin(warehouse, "prompt-sampled"), a=cut | {"category": Category.TRUNCATED}, b=answer("1")
    )
    told = doctor()
    assert "outputs do not parse: 1 of 2 attempts (50.0%)" in told
    assert "receipt@1, mode prompt at temperature 0.7: 1 ended by length with 128 to 255 tokens" in told
    assert "next: answers run until they are cut" in told
    assert 'look: assay sql "FROM unparsed"' in told


@pytest.mark.parametrize(
    ("decoding", "fingerprint", "next_step"),
    [
        ("prompt-greedy", None, "the decoder did not enforce the schema"),
        ("guided-greedy", None, "the backend does not enforce a keyword"),
        ("guided-greedy", "another" * 8, "the prompt showed another schema than the validator checks"),
    ],
)
def test_answers_off_the_schema(
    warehouse: Warehouse, doctor: Doctor, decoding: str, fingerprint: str | None, next_step: str
) -> None:
    wrong = {"status": Status.REJECTED, "category": Category.NOT_IN_ENUM}
    land(warehouse, begin(warehouse, decoding, fingerprint), a=wrong)
    told = doctor()
    assert "receipt@1 /total: not_in_enum in 1 documents (schemas: prompt " in told
    assert f"next: {next_step}" in told


@pytest.mark.parametrize(
    ("removed", "next_step"),
    [
        (0.6, "the grammar forbids what the model would say"),
        (0.0, "the form is right and the values are not"),
    ],
)
def test_answers_that_score_low(warehouse: Warehouse, doctor: Doctor, removed: float, next_step: str) -> None:
    land(warehouse, begin(warehouse), a=scored(Match.ABSENT, removed))
    told = doctor()
    assert f"receipt@1 /total, place 5: 100% not in the source, {removed:.0%} of the mass removed" in told
    assert f"next: {next_step}" in told


def test_answers_that_change(warehouse: Warehouse, doctor: Doctor) -> None:
    recipe = begin(warehouse)
    runs = [land(warehouse, recipe, a=answer(total)) for total in "12"]
    told = doctor()
    assert f"receipt@1 under recipe {recipe.recipe_id}: 1 of 1 differ" in told
    assert f"see FROM run_diff('{runs[0]}', '{runs[1]}')" in told


@pytest.mark.parametrize(
    ("guided", "next_step"),
    [
        (Status.FLAGGED, "the grammar costs answers"),
        (Status.ACCEPTED, "guided answers hold at least as well"),
    ],
)
def test_answers_that_disagree(warehouse: Warehouse, doctor: Doctor, guided: Status, next_step: str) -> None:
    category = Category.UNGROUNDED if guided == Status.FLAGGED else None
    land(warehouse, begin(warehouse), a={"value": answer("1"), "status": guided, "category": category})
    land(warehouse, begin(warehouse, "json-greedy"), a=answer("2"))
    told = doctor()
    assert "receipt@1: 1 of 1 answers differ between guided and json" in told
    assert f"next: {next_step}" in told


def test_as_json_it_holds_the_figures_too(warehouse: Warehouse, doctor: Doctor) -> None:
    for total in "12":
        land(warehouse, begin(warehouse), a=answer(total))
    (row,) = json.loads(doctor("--json"))["symptoms"]
    assert (row["symptom"], row["cases"], row["evidence"][0]["changed"]) == (
        "identical greedy runs differ",
        1,
        1,
    )
    assert row["told"][0] == "identical greedy runs differ: 1 of 1 documents (100.0%)"


def test_hostile_texts_are_made_safe(warehouse: Warehouse, doctor: Doctor) -> None:
    land(warehouse, begin(warehouse), a=answer("1"))
    run_id = land(warehouse, begin(warehouse, "json-greedy"), b=answer("1"))
    warehouse.quarantine(run_id)
    warehouse.query("UPDATE runs SET schema = 'x\x1b[31m'", read_only=False)
    assert "\x1b" not in doctor()

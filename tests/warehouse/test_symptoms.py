"""Each symptom: data that shows it, and data that does not."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from schemas.decoding import resolve as decoding_of
from schemas.recipe import Recipe
from schemas.records import Category, Ending, Extraction, FieldResult, Match, Status
from schemas.registry import load
from tests.warehouse.samples import document, extraction
from warehouse.runs import new_run_id
from warehouse.store import Warehouse

UNPARSED = "outputs do not parse"
OFF_SCHEMA = "outputs parse but miss the schema"
LOW = "outputs fit but score low"
GREEDY = "identical greedy runs differ"
GUIDED = "guided and unguided disagree"


def begin(warehouse: Warehouse, decoding: str = "guided-greedy", fingerprint: str | None = None) -> Recipe:
    """A recipe for receipt@1, registered with its schema."""
    version = load(None).resolve("receipt@1")
    warehouse.register_schema(version)
    recipe = Recipe(
        schema_ref="receipt@1",
        schema_fingerprint=fingerprint or version.fingerprint,
        prompt_fingerprint="p",
        decoding=decoding_of(decoding),
        model={"weights": "m"},
        versions={},
    )
    warehouse.register_recipe(recipe)
    return recipe


def land(warehouse: Warehouse, recipe: Recipe, **given: Any) -> str:
    """A run under a recipe: `given` is each document's answer, or the extraction's keywords."""
    run_id = warehouse.start_run("rerun", "receipt@1", recipe.recipe_id, "in/", retry=set(Status))
    found = [_extraction(name, run_id, recipe, how) for name, how in given.items()]
    warehouse.stage(f"s-{run_id}", run_id, [document(name) for name in given], found)
    warehouse.land()
    warehouse.finish_run(run_id, "finished", {})
    return run_id


def _extraction(name: str, run_id: str, recipe: Recipe, how: Any) -> Extraction:
    keywords = dict(how) if isinstance(how, dict) else {"value": how}
    text, ending = keywords.pop("text", None), keywords.pop("ending", Ending.STOP)
    fields = keywords.pop("fields", None)
    made = extraction(name, run_id, recipe_id=recipe.recipe_id, **keywords)
    tries = tuple(
        dataclasses.replace(one, text=text or one.text, ending=ending, output_tokens=220)
        for one in made.attempts
    )
    return dataclasses.replace(made, attempts=tries, fields=fields or made.fields)


def answer(total: str, reasoning: str = "r") -> str:
    return json.dumps({"reasoning": reasoning, "total": total})


def symptoms(warehouse: Warehouse) -> dict[str, dict[str, Any]]:
    rows = warehouse.query("FROM symptoms").to_pylist()
    return {row["symptom"]: row | {"evidence": json.loads(row["evidence"])} for row in rows}


def applying(warehouse: Warehouse) -> set[str]:
    return {name for name, row in symptoms(warehouse).items() if row["applies"]}


def test_an_empty_warehouse_has_none(warehouse: Warehouse) -> None:
    found = symptoms(warehouse)
    assert list(found) == [UNPARSED, OFF_SCHEMA, LOW, GREEDY, GUIDED]
    assert not any(row["applies"] or row["cases"] or row["evidence"] for row in found.values())


def test_good_answers_show_none(warehouse: Warehouse) -> None:
    land(warehouse, begin(warehouse), a=answer("1"), b=answer("2"))
    assert applying(warehouse) == set()
    assert symptoms(warehouse)[UNPARSED]["seen"] == 2


@pytest.mark.parametrize("look", ["unparsed", "off_schema", "low_scores", "greedy_changes"])
def test_each_names_a_view_that_is_there(warehouse: Warehouse, look: str) -> None:
    assert f"FROM {look}" in {row["look"] for row in symptoms(warehouse).values()}
    for row in symptoms(warehouse).values():
        assert warehouse.query(row["look"]).num_rows == 0


def test_outputs_that_do_not_parse(warehouse: Warehouse) -> None:
    cut = {"text": '{"total":"1', "ending": Ending.LENGTH, "value": None, "status": Status.REJECTED}
    recipe = begin(warehouse, "prompt-sampled")
    land(warehouse, recipe, a=cut | {"category": Category.TRUNCATED}, b=answer("2"), c=answer("3"))
    row = symptoms(warehouse)[UNPARSED]
    assert (row["cases"], row["seen"], row["share"]) == (1, 3, pytest.approx(1 / 3))
    (group,) = row["evidence"]
    assert (group["temperature"], group["ending"], group["tokens_from"]) == (0.7, "length", 128)
    assert (group["attempts"], group["mode"], group["schema"]) == (1, "prompt", "receipt@1")


@pytest.mark.parametrize("text", ["[1]", "3", 'Here: {"a":1}', '{"a":1} and', "", "null"])
def test_what_is_no_object_does_not_parse(warehouse: Warehouse, text: str) -> None:
    lost = {"text": text or " ", "value": None, "status": Status.REJECTED, "category": Category.SYNTAX_ERROR}
    land(warehouse, begin(warehouse), a=lost, b={"text": ' {"a": [1, {}]}\n', "value": answer("1")})
    assert symptoms(warehouse)[UNPARSED]["cases"] == 1


def test_an_engine_that_gave_nothing_is_no_parse_error(warehouse: Warehouse) -> None:
    lost = {"text": " ", "ending": Ending.ERROR, "value": None, "status": Status.FAILED}
    land(warehouse, begin(warehouse), a=lost | {"category": Category.ENGINE_ERROR})
    assert UNPARSED not in applying(warehouse)


def test_a_cured_trouble_no_longer_applies(warehouse: Warehouse) -> None:
    cut = {"text": "{", "value": None, "status": Status.REJECTED, "category": Category.UNCLOSED}
    land(warehouse, begin(warehouse, "prompt-greedy"), a=cut)
    assert applying(warehouse) == {UNPARSED}
    land(warehouse, begin(warehouse), a=answer("1"))
    assert applying(warehouse) == set()


def test_outputs_that_miss_the_schema(warehouse: Warehouse) -> None:
    wrong = {"status": Status.REJECTED, "category": Category.NOT_IN_ENUM}
    land(warehouse, begin(warehouse, fingerprint="another" * 8), a=wrong, b=answer("2"))
    assert applying(warehouse) == {OFF_SCHEMA}
    row = symptoms(warehouse)[OFF_SCHEMA]
    assert (row["cases"], row["seen"]) == (1, 2)
    (group,) = row["evidence"]
    assert group["prompt_schema"] == group["decoder_schema"] == "anotheranoth"
    assert group["validator_schema"] == load(None).resolve("receipt@1").fingerprint[:12]
    assert (group["field"], group["category"], group["backend"]) == ("/total", "not_in_enum", "guidance")


@pytest.mark.parametrize(
    ("decoding", "decoder"), [("prompt-greedy", "none"), ("json-greedy", "any JSON"), ("guided-greedy", None)]
)
def test_what_the_decoder_enforced(warehouse: Warehouse, decoding: str, decoder: str | None) -> None:
    wrong = {"status": Status.REJECTED, "category": Category.WRONG_TYPE}
    recipe = begin(warehouse, decoding)
    land(warehouse, recipe, a=wrong)
    (group,) = symptoms(warehouse)[OFF_SCHEMA]["evidence"]
    assert group["decoder_schema"] == (decoder or recipe.schema_fingerprint[:12])


def scored(match: Match, removed: float) -> dict[str, Any]:
    fields = (
        FieldResult("/total", '"1"', match, removed_mass=removed),
        FieldResult("/company", '"A"', Match.VERBATIM, removed_mass=0.0),
    )
    status = Status.ACCEPTED if match == Match.VERBATIM else Status.FLAGGED
    return {"status": status, "category": None if status == Status.ACCEPTED else Category.UNGROUNDED} | {
        "fields": fields
    }


def test_outputs_that_fit_but_score_low(warehouse: Warehouse) -> None:
    low, good = scored(Match.ABSENT, 0.9), scored(Match.VERBATIM, 0.1)
    land(warehouse, begin(warehouse), a=low, b=low, c=good, d=good)
    assert applying(warehouse) == {LOW}
    row = symptoms(warehouse)[LOW]
    assert (row["cases"], row["seen"]) == (2, 4)
    worst = row["evidence"][0]
    assert (worst["field"], worst["unfound_share"], worst["closed_enum"]) == ("/total", 0.5, False)
    assert worst["removed_mass"] == pytest.approx(0.5)
    names = list(load(None).resolve("receipt@1").cls.model_fields)
    assert worst["position"] == names.index("total") + 1


def test_answers_that_mostly_hold_or_do_not_fit_do_not_score_low(warehouse: Warehouse) -> None:
    good, low = scored(Match.VERBATIM, 0.9), scored(Match.ABSENT, 0.9)
    land(warehouse, begin(warehouse), a=good, b=good, c=good, d=good, e=low)
    assert LOW not in applying(warehouse)
    lost = {"status": Status.REJECTED, "category": Category.TRUNCATED}
    land(warehouse, begin(warehouse), a=low, b=low, c=lost)  # the first trouble here is another one
    assert LOW not in applying(warehouse)


def test_answers_that_labels_say_are_wrong_score_low(warehouse: Warehouse) -> None:
    good = scored(Match.VERBATIM, 0.0)
    land(warehouse, begin(warehouse), a=good, b=good)
    evaluate(warehouse, exact=0.9, right=0.95)
    assert LOW not in applying(warehouse)
    evaluate(warehouse, exact=0.5, right=0.6)
    row = symptoms(warehouse)[LOW]
    assert (row["applies"], row["cases"], row["seen"]) == (True, 1, 2)
    by_field = {group["field"]: group for group in row["evidence"]}
    assert (by_field["/total"]["right_share"], by_field["/total"]["exact_share"]) == (0.6, 0.5)
    assert by_field["/company"]["right_share"] is None


def evaluate(warehouse: Warehouse, exact: float, right: float) -> None:
    """What an evaluation of the guided decoding found."""
    row = """INSERT INTO evaluations BY NAME SELECT $id AS evaluation_id, 'receipt@1' AS schema,
        'guided-greedy' AS decoding, $measure AS measure, $field AS field, 'all inputs' AS "of",
        'input' AS unit, $value AS value, 2 AS inputs"""
    for measure, field, value in (("exact", "", exact), ("right", "/total", right)):
        given = {"id": new_run_id(), "measure": measure, "field": field, "value": value}
        warehouse.query(row, given, read_only=False)


def test_unguided_answers_are_not_said_to_fit_always(warehouse: Warehouse) -> None:
    low = scored(Match.ABSENT, 0.9)
    land(warehouse, begin(warehouse, "prompt-greedy"), a=low, b=low)
    assert LOW not in applying(warehouse)


def test_greedy_runs_that_differ(warehouse: Warehouse) -> None:
    recipe = begin(warehouse)
    first = land(warehouse, recipe, a=answer("1"), b=answer("2"))
    last = land(warehouse, recipe, a=answer("1", "other words"), b=answer("3"))
    assert applying(warehouse) == {GREEDY}
    row = symptoms(warehouse)[GREEDY]
    assert (row["cases"], row["seen"]) == (1, 2)
    (group,) = row["evidence"]
    assert (group["first_run"], group["last_run"], group["example"]) == (
        first,
        last,
        document("b").document_id,
    )


def test_greedy_runs_that_agree_and_sampled_ones_that_differ(warehouse: Warehouse) -> None:
    for decoding, totals in (("guided-greedy", "11"), ("guided-sampled", "12")):
        for total in totals:
            land(warehouse, begin(warehouse, decoding), a=answer(total))
    row = symptoms(warehouse)[GREEDY]
    assert (row["applies"], row["cases"], row["seen"]) == (False, 0, 1)


def test_a_status_that_changed_is_a_change(warehouse: Warehouse) -> None:
    recipe = begin(warehouse)
    land(warehouse, recipe, a=answer("1"))
    land(warehouse, recipe, a={"value": None, "status": Status.REJECTED, "category": Category.TRUNCATED})
    assert GREEDY in applying(warehouse)


def test_an_engine_failure_is_no_change(warehouse: Warehouse) -> None:
    recipe = begin(warehouse)
    land(warehouse, recipe, a=answer("1"))
    land(warehouse, recipe, a={"value": None, "status": Status.FAILED, "category": Category.TIMEOUT})
    assert GREEDY not in applying(warehouse)


def test_guided_and_unguided_that_disagree(warehouse: Warehouse) -> None:
    flagged = {"status": Status.FLAGGED, "category": Category.UNGROUNDED}
    land(warehouse, begin(warehouse), a=flagged | {"value": answer("1")}, b=answer("2"), c=answer("3"))
    unguided = land(warehouse, begin(warehouse, "prompt-greedy"), a=answer("9"), b=answer("2", "else"))
    assert applying(warehouse) == {GUIDED}
    row = symptoms(warehouse)[GUIDED]
    assert (row["cases"], row["seen"]) == (1, 2)
    (group,) = row["evidence"]
    assert (group["unguided_mode"], group["guided_accepted"], group["unguided_accepted"]) == ("prompt", 0, 1)
    assert group["unguided_run"] == unguided


def test_guided_and_unguided_that_agree_or_were_never_both_valid(warehouse: Warehouse) -> None:
    lost = {"value": None, "status": Status.REJECTED, "category": Category.CONSTRAINT}
    land(warehouse, begin(warehouse), a=answer("1"), b=answer("2"))
    land(warehouse, begin(warehouse, "json-greedy"), a=answer("1"), b=lost)
    row = symptoms(warehouse)[GUIDED]
    assert (row["applies"], row["cases"], row["seen"]) == (False, 0, 1)

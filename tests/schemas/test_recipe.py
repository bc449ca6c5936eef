"""A recipe's id: the same for the same content, another for any change that could change an answer."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from schemas.decoding import PRESETS, Decoding
from schemas.recipe import Recipe

BASE: dict[str, Any] = {
    "schema_ref": "invoice@2",
    "schema_fingerprint": "aa",
    "prompt_fingerprint": "bb",
    "decoding": PRESETS["guided-greedy"],
    "model": {"weights": "cc", "tokenizer": "dd"},
    "versions": {"vllm": "0.32.0", "text": "1"},
}
CHANGES: list[dict[str, Any]] = [
    {"schema_ref": "invoice@1"},
    {"schema_fingerprint": "ab"},
    {"prompt_fingerprint": "bc"},
    {"decoding": PRESETS["guided-sampled"]},
    {"model": {"weights": "cc", "tokenizer": "de"}},
    {"versions": {"vllm": "0.32.1", "text": "1"}},
    {"versions": {"vllm": "0.32.0", "text": "1", "pdf": "1"}},
]


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_gives_another_id(change: dict[str, Any]) -> None:
    assert Recipe(**{**BASE, **change}).recipe_id != Recipe(**BASE).recipe_id


def test_the_id_does_not_hang_on_order_or_on_the_decodings_name() -> None:
    again = {**BASE, "model": {"tokenizer": "dd", "weights": "cc"}, "decoding": Decoding(name="mine")}
    assert Recipe(**again).recipe_id == Recipe(**BASE).recipe_id
    assert len(Recipe(**BASE).recipe_id) == 16


def test_it_survives_being_written_down() -> None:
    recipe = Recipe(**BASE)
    again = Recipe.model_validate_json(recipe.model_dump_json())
    assert again.recipe_id == recipe.recipe_id
    assert again.decoding == recipe.decoding


def test_a_recipe_cannot_be_changed() -> None:
    recipe = Recipe(**BASE)
    with pytest.raises(ValidationError, match="frozen"):
        recipe.schema_ref = "invoice@3"  # type: ignore[misc]
    with pytest.raises(TypeError):
        recipe.model["weights"] = "zz"  # type: ignore[index]

"""A recipe in plain words: what was asked of which model, and how its text was drawn."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

_MODES = {
    "guided": "The decoder held the model to the schema, token by token (by {backend}).",
    "json": "The decoder held the model to JSON, but not to the schema (by {backend}).",
    "prompt": "The model was only asked for JSON; nothing held it to that.",
}
_SELECTIONS = {
    "first": "One answer was drawn for each attempt.",
    "vote": "{samples} answers were drawn at once, and each field took the value that most of them gave.",
    "verified": "Up to {samples} answers were drawn, one after the other, until one passed all checks.",
    "aligned": "{samples} answers were drawn, and one taken by a weight that undoes the mask's distortion.",
}
_RETRIES = {
    "none": "None was asked for again.",
    "resample": "One that did not pass was drawn again, up to {max_attempts} attempts.",
    "feedback": "One that did not pass was asked again with what was wrong, up to {max_attempts} attempts.",
}
_SHOWN = 12  # characters of a hash


def sentences(recipe: Mapping[str, Any]) -> list[str]:
    """How text was drawn, a sentence each. `recipe` is a row of `recipes`."""
    drawn = json.loads(recipe["decoding"])
    parts = [(_MODES, "mode"), (_SELECTIONS, "selection"), (_RETRIES, "retries")]
    mode, selection, retries = (words[drawn[name]].format(**drawn) for words, name in parts)
    return [mode, _drawing(drawn), selection, retries, _bound(drawn)]


def asked(recipe: Mapping[str, Any]) -> str:
    """What was asked of which model, as a sentence."""
    name = json.loads(recipe["model"]).get("name", "a model without a name")
    return f"{recipe['schema']} was asked of {name}."


def _drawing(drawn: Mapping[str, Any]) -> str:
    if drawn["beam_width"] > 1:
        return f"A beam search of width {drawn['beam_width']} looked for the likeliest text."
    if not drawn["temperature"]:
        return "Of the allowed tokens the likeliest was always taken."
    limits = ", ".join(_limits(drawn)) or "all tokens left in"
    return f"Tokens were drawn at temperature {drawn['temperature']:g} ({limits}), from seed {drawn['seed']}."


def _limits(drawn: Mapping[str, Any]) -> Iterator[str]:
    neutral = {"top_p": 1.0, "top_k": 0, "min_p": 0.0}
    yield from (f"{name} {drawn[name]:g}" for name, off in neutral.items() if drawn[name] != off)


def _bound(drawn: Mapping[str, Any]) -> str:
    if drawn["max_tokens"] is None:
        return "An answer had room for as many tokens as the schema can need."
    return f"An answer was cut after {drawn['max_tokens']} tokens."


def parts(recipe: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What else the recipe names: the schema, the prompt, the model, versions; hashes by their beginning."""
    return [
        ("recipe", recipe["recipe_id"]),
        ("decoding", json.loads(recipe["decoding"])["name"]),
        ("schema", f"{recipe['schema']} ({_short(recipe['schema_fingerprint'])})"),
        ("prompt", _short(recipe["prompt_fingerprint"])),
        ("model", _listed(recipe["model"])),
        ("versions", _listed(recipe["versions"])),
    ]


def _listed(text: str) -> str:
    return ", ".join(_flat(json.loads(text)))


def _flat(values: Mapping[str, Any]) -> Iterator[str]:
    """Each setting by its name; those that stand together as JSON, as the engine's do, are taken apart."""
    for name, value in values.items():
        if isinstance(value, str) and value.startswith("{"):
            yield from _flat(json.loads(value))
        elif isinstance(value, Mapping):
            yield from _flat(value)
        elif value != "":
            yield f"{name} {_short(str(value))}"


def _short(value: str) -> str:
    is_hash = len(value) >= 32 and all(char in "0123456789abcdef" for char in value)
    return f"{value[:_SHOWN]}…" if is_hash else value

"""The experiments for a schema: for each constraint a whole answer that breaks only it, and right answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from extractors.backends.breaking import breaking
from extractors.backends.values import Schema, broken, right, sample

ORDER = "the order of the properties"
# What describes, and what holds further schemas: `Spot`s of their own.
_NO_CONSTRAINT = {"$schema", "title", "description", "default", "examples", "properties", "items"}
# With these values a keyword forbids nothing.
_IDLE = [("required", []), ("minLength", 0), ("minItems", 0), ("additionalProperties", True)]
_UNIONS = ("anyOf", "oneOf")
_BREACHES = 24


@dataclass(frozen=True, slots=True)
class Spot:
    """A part of a schema. `pointer` leads to the field, `*` for a list's items; `path` into the schema.

    `place` puts a value for the part into an answer that is right everywhere else. `others` are the other
    branches where the part is one of several.
    """

    pointer: str
    path: tuple[str | int, ...]
    schema: Schema
    place: Callable[[Any], Any]
    others: tuple[Schema, ...] = ()

    @property
    def constraints(self) -> list[str]:
        """Its own keywords that forbid something, in order."""
        return [
            keyword
            for keyword, value in self.schema.items()
            if keyword not in _NO_CONSTRAINT and (keyword, value) not in _IDLE
        ]


@dataclass(frozen=True, slots=True)
class Trial:
    """One answer to walk through a grammar. `keyword` is what it breaks; empty where it is right."""

    pointer: str
    keyword: str
    value: Any
    text: str


def spots(schema: Schema) -> Iterator[Spot]:
    """Every part of a schema, from the whole down. References are not followed: Assay inlines them."""
    return _spots(Spot("", (), schema, lambda value: value))


def _spots(spot: Spot) -> Iterator[Spot]:
    yield spot
    for part in parts(spot):
        yield from _spots(part)


def parts(spot: Spot) -> Iterator[Spot]:
    """The parts next below one: its branches, its properties, or its items."""
    for keyword in _UNIONS:
        branches = spot.schema.get(keyword, ())
        for index, branch in enumerate(branches):
            others = (*branches[:index], *branches[index + 1 :])
            yield Spot(spot.pointer, (*spot.path, keyword, index), branch, spot.place, others)
    if "properties" in spot.schema:
        yield from _members(spot, sample(spot.schema))
    if isinstance(spot.schema.get("items"), dict):
        yield _item(spot)


def _members(spot: Spot, base: dict[str, Any]) -> Iterator[Spot]:
    for name, child in spot.schema["properties"].items():

        def place(value: Any, name: str = name) -> Any:
            return spot.place({**base, name: value})

        yield Spot(f"{spot.pointer}/{name}", (*spot.path, "properties", name), child, place)


def _item(spot: Spot) -> Spot:
    """One item of a list; the others, where there must be some, are right and all the same."""
    schema = spot.schema["items"]
    others = [sample(schema)] * (spot.schema.get("minItems", 1) - 1)
    path = (*spot.path, "items")
    return Spot(f"{spot.pointer}/*", path, schema, lambda value: spot.place([value, *others]))


def right_answers(spot: Spot) -> Iterator[Trial]:
    """Whole answers that are right, one for each right value of the part."""
    yield from (_trial(spot, "", value) for value in right(spot.schema))


def _foreign(value: Any, branch: Schema) -> bool:
    """Whether a value is plainly not meant for a branch: then it is the part in question that it breaks."""
    wrong = broken(branch, value)
    return "type" in wrong or ("type" not in branch and bool(wrong))


def breaches(spot: Spot, keyword: str) -> list[Trial]:
    """Whole answers that break only this keyword of this part; none where no such value was found."""
    found: dict[str, Trial] = {}
    branches = spot.schema[keyword] if keyword in _UNIONS else spot.others
    for value in breaking(spot.schema, keyword, sample(spot.schema)):
        if broken(spot.schema, value) == {keyword} and all(_foreign(value, one) for one in branches):
            one = _trial(spot, keyword, value)
            found.setdefault(one.text, one)
        if len(found) == _BREACHES:
            break
    return list(found.values())


def disorder(spot: Spot) -> list[Trial]:
    """Answers whose keys come in another order: right by JSON Schema, but the reasoning may be last."""
    if len(spot.schema.get("properties", ())) < 2:
        return []
    members = list(sample(spot.schema).items())
    return [_trial(spot, ORDER, dict(other)) for other in (members[::-1], [*members[1:], members[0]])]


def _trial(spot: Spot, keyword: str, value: Any) -> Trial:
    return Trial(spot.pointer, keyword, value, _written(spot.place(value)))


def _written(answer: Any) -> str:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))

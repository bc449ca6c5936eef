"""What a backend really enforces, found by walking right and wrong answers through its compiled grammar.

There is no table of keywords that could go out of date: the schema is compiled as a run would compile it, and
each answer is spelled by the model's own tokenizer and offered token by token.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from extractors.backends.base import Grammar, SchemaTooLarge, accepts
from extractors.backends.compiling import Compiler, compiled, compiler
from extractors.backends.trials import Spot, Trial, breaches, disorder, parts, right_answers, spots
from extractors.backends.values import Schema
from extractors.backends.vocabulary import Vocabulary
from schemas.decoding import Backend
from schemas.errors import EngineRefusedSchema, SchemaError


class Kind(StrEnum):
    """What an experiment has shown."""

    REFUSED = "refused"
    NOT_ENFORCED = "not enforced"
    OVER_STRICT = "over-strict"
    UNTRIED = "untried"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One thing that a backend does otherwise than the schema says.

    `keywords` are the schema's; `shown` is a value that showed it, as JSON; `reason` is the backend's own.
    """

    kind: Kind
    pointer: str
    keywords: tuple[str, ...]
    shown: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Bench:
    """A backend with its vocabulary, ready to compile."""

    backend: Backend
    vocabulary: Vocabulary
    compiler: Compiler
    _kept: dict[str, Grammar] = field(default_factory=dict)

    def compiled(self, schema: Schema) -> Grammar:
        """Kept, for a large schema takes some backends seconds. Raises EngineRefusedSchema."""
        text = json.dumps(schema, ensure_ascii=False)
        if text not in self._kept:
            self._kept[text] = compiled(self.backend, self.compiler, text)
        return self._kept[text]

    def refusal(self, schema: Schema) -> str:
        """The reason for which the schema is refused, empty where it is not. Raises SchemaTooLarge."""
        try:
            self.compiled(schema)
        except SchemaTooLarge:
            raise
        except EngineRefusedSchema as error:
            return str(error)
        return ""


def experiment(schema: Schema, bench: Bench) -> list[Outcome]:
    """All that the backend refuses, lets through or forbids against the schema.

    What is refused is taken out, and the rest is tried without it. Of a schema that is too large for the
    backend the parts are tried, each alone.
    """
    whole = Spot("", (), schema, lambda value: value)
    return list(_tried(whole, bench))


def _tried(whole: Spot, bench: Bench) -> Iterator[Outcome]:
    try:
        refused, rest = refusals(whole.schema, bench)
        walked = list(_walked(rest, bench)) if rest is not None else []
    except SchemaTooLarge as error:
        yield Outcome(Kind.REFUSED, whole.pointer, (), reason=str(error))
        for part in parts(whole):
            yield from _tried(Spot(part.pointer, (), part.schema, lambda value: value), bench)
        return
    except SchemaError as error:
        yield Outcome(Kind.UNTRIED, whole.pointer, (), reason=str(error))
        return
    yield from (replace(one, pointer=whole.pointer + one.pointer) for one in [*refused, *walked])


def holds(schema: Schema, backend: Backend) -> bool:
    """Whether a backend takes a schema and lets nothing through, tried over single bytes."""
    vocabulary = Vocabulary.of_bytes()
    outcomes = experiment(schema, Bench(backend, vocabulary, compiler(backend, vocabulary)))
    return not any(one.kind in (Kind.REFUSED, Kind.NOT_ENFORCED, Kind.UNTRIED) for one in outcomes)


def refusals(schema: Schema, bench: Bench) -> tuple[list[Outcome], Schema | None]:
    """The keywords that are refused, and the schema without them; None where no such schema was found.

    Raises SchemaTooLarge where no keyword is at fault.
    """
    reason = bench.refusal(schema)
    if not reason:
        return [], schema
    found: list[Outcome] = []
    rest = copy.deepcopy(schema)
    for spot in reversed(list(spots(schema))):
        part = _at(rest, spot.path)
        why = bench.refusal(part)
        clashing = _clashing(part, bench) if why else ()
        if clashing:
            found.append(Outcome(Kind.REFUSED, spot.pointer, clashing, reason=why))
            part.pop(clashing[-1])
    reason = bench.refusal(rest) if found else reason
    if reason:
        return [*found, Outcome(Kind.REFUSED, "", (), reason=reason)], None
    return found, rest


def _clashing(part: Schema, bench: Bench) -> tuple[str, ...]:
    """The keywords of a refused part each of which, taken away alone, makes it acceptable."""
    found = []
    for keyword in part:
        smaller = {name: value for name, value in part.items() if name != keyword}
        if not bench.refusal(smaller):
            found.append(keyword)
    told = [keyword for keyword in found if keyword != "type"]  # what is no longer a string has no pattern
    return tuple(told or found)


def _at(schema: Schema, path: Iterable[str | int]) -> Schema:
    part: Any = schema
    for step in path:
        part = part[step]
    return part  # type: ignore[no-any-return]


def _walked(schema: Schema, bench: Bench) -> Iterator[Outcome]:
    grammar = bench.compiled(schema)
    for spot in spots(schema):
        for keyword in spot.constraints:
            wrong = breaches(spot, keyword)
            if not wrong:
                yield Outcome(Kind.UNTRIED, spot.pointer, (keyword,))
            yield from _let_through(wrong, grammar, bench)
        yield from _let_through(disorder(spot), grammar, bench)
        yield from _forbidden(spot, grammar, bench)


def _let_through(wrong: Iterable[Trial], grammar: Grammar, bench: Bench) -> Iterator[Outcome]:
    """The first of these answers that the grammar takes."""
    for trial in wrong:
        if accepts(grammar, bench.vocabulary.spell(trial.text)):
            yield Outcome(Kind.NOT_ENFORCED, trial.pointer, (trial.keyword,), _shown(trial))
            return


def _forbidden(spot: Spot, grammar: Grammar, bench: Bench) -> Iterator[Outcome]:
    """The first right answer that the grammar does not take."""
    for trial in right_answers(spot):
        if not accepts(grammar, bench.vocabulary.spell(trial.text)):
            yield Outcome(Kind.OVER_STRICT, trial.pointer, (), _shown(trial))
            return


def _shown(trial: Trial) -> str:
    shown = json.dumps(trial.value, ensure_ascii=False)
    return shown if len(shown) <= 60 else f"{shown[:40]}… ({len(shown)} characters)"

"""Which of several answers stands: the first, a vote by field, or the one that checks best. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from extractors.places import escape
from schemas.records import Attempt, FieldResult, Level, Match, Severity, Status, Verdict

_RANK = {Status.FAILED: 0, Status.REJECTED: 1, Status.FLAGGED: 2, Status.ACCEPTED: 3}
_ORDER = {level: number for number, level in enumerate(Level)}
_NUMERAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_FOUND = (Match.VERBATIM, Match.NORMALISED)


@dataclass(frozen=True, slots=True)
class Judged:
    """An attempt, what its check said, and the prompt that it answered."""

    attempt: Attempt
    verdict: Verdict
    prompt_ids: tuple[int, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether the answer fits the schema, so that its values can be read."""
        return self.verdict.status in (Status.ACCEPTED, Status.FLAGGED)


@dataclass(frozen=True, slots=True)
class Vote:
    """The answer that the fields' majorities make, the sample nearest to it, and each leaf's agreement.

    `agreement` maps a JSON Pointer to the share of samples (0 to 1) that gave the winning value.
    """

    text: str
    nearest: Judged
    agreement: dict[str, float]


def best(judged: Sequence[Judged]) -> Judged:
    """The one that holds furthest up the ladder; then fewer errors, more found in the source, likelier."""
    return max(judged, key=_merit)


def _merit(one: Judged) -> tuple[int, int, int, int, float]:
    verdict = one.verdict
    errors = sum(finding.severity is Severity.ERROR for finding in verdict.findings)
    found = sum(field.match in _FOUND for field in verdict.fields)
    depth = _ORDER[verdict.level] if verdict.level is not None else len(_ORDER)
    return _RANK[verdict.status], depth, -errors, found, _likelihood(one)


def _likelihood(one: Judged) -> float:
    mean = one.attempt.mean_logprob
    return mean if mean is not None else float("-inf")


def vote(judged: Sequence[Judged]) -> Vote | None:
    """Vote by field over the samples that fit the schema; None where there is none.

    Nulls vote. Ties go to the sample with the higher mean log-probability. Strings are compared folded (case
    and white space), numerals by value. Lists: the commonest length wins, and rows are matched by content.
    """
    voters = sorted((one for one in judged if one.usable), key=_likelihood, reverse=True)
    if not voters:
        return None
    answers = [json.loads(one.attempt.text, parse_float=Decimal) for one in voters]
    agreement: dict[str, float] = {}
    winner = _elect(answers, "", len(answers), agreement)
    shares = [_shared(answer, winner) for answer in answers]
    nearest = voters[shares.index(max(shares))]
    text = json.dumps(winner, ensure_ascii=False, separators=(",", ":"), default=str)
    return Vote(text, nearest, agreement)


def with_agreement(fields: Sequence[FieldResult], agreement: dict[str, float]) -> tuple[FieldResult, ...]:
    """The same fields, each with its share of votes."""
    return tuple(replace(field, agreement=agreement.get(field.pointer)) for field in fields)


def _elect(values: list[Any], pointer: str, voters: int, agreement: dict[str, float]) -> Any:
    """The winning value of a place in the answer; `values` come likeliest first."""
    shape = _majority([_shape(value) for value in values])
    agreed = [value for value in values if _shape(value) == shape]
    if isinstance(agreed[0], dict):
        return {
            key: _elect([one[key] for one in agreed], f"{pointer}/{escape(key)}", voters, agreement)
            for key in agreed[0]
        }
    if isinstance(agreed[0], list):
        rows = _rows([list(one) for one in agreed])
        return [_elect(row, f"{pointer}/{i}", voters, agreement) for i, row in enumerate(rows)]
    keys = [_folded(value) for value in agreed]
    elected = _majority(keys)
    agreement[pointer] = keys.count(elected) / voters
    return agreed[keys.index(elected)]


def _shape(value: Any) -> tuple[str, Any]:
    """Objects agree with objects of the same keys, lists with lists of one length, leaves with leaves."""
    if isinstance(value, dict):
        return "object", tuple(value)
    if isinstance(value, list):
        return "list", len(value)
    return "leaf", None


def _majority(keys: list[Any]) -> Any:
    """The commonest key; among equals the one that comes first, which is the likeliest sample's."""
    return max(keys, key=lambda key: (keys.count(key), -keys.index(key)))


def _folded(value: Any) -> tuple[str, Any]:
    """What votes are counted by. Decimals are strings in an answer; leading zeros make an identifier."""
    if isinstance(value, str) and not _NUMERAL.fullmatch(value):
        return "text", " ".join(value.casefold().split())
    if isinstance(value, str | int | Decimal) and not isinstance(value, bool):
        return "number", Decimal(value)
    return type(value).__name__, value


def _rows(lists: list[list[Any]]) -> list[list[Any]]:
    """Lists of one length, transposed: each row of the first with the rows of the others most like it."""
    rows = [[row] for row in lists[0]]
    for other in lists[1:]:
        left = list(other)
        for row in rows:
            match = max(range(len(left)), key=lambda i: (_shared(left[i], row[0]), -i))
            row.append(left.pop(match))
    return rows


def _shared(one: Any, other: Any) -> int:
    """How many leaves two values have in common, each at the same place."""
    if isinstance(one, dict) and isinstance(other, dict):
        return sum(_shared(one[key], other[key]) for key in one.keys() & other.keys())
    if isinstance(one, list) and isinstance(other, list):
        return sum(_shared(a, b) for a, b in zip(one, other, strict=False))
    if isinstance(one, dict | list) or isinstance(other, dict | list):
        return 0
    return int(_folded(one) == _folded(other))

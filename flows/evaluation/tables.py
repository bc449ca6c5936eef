"""The tables of an evaluation, for the terminal and the page: rows of measures, columns of decodings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from flows.evaluation.checks import VALID
from flows.evaluation.measures import ALL, CATEGORY, CONDITIONAL, OUTCOMES, WHOLE, Key
from flows.evaluation.result import Arm, Evaluation, Row

# The names in words; what is not here is called as it is.
WORDS = {
    "finished": "ended by itself",
    "fits": "fits the schema",
    "exact": "exactly right",
    "right": "values right",
    "wrong": "values wrong",
    "missed": "values missed",
    "invented": "values invented",
    "unanswered": "values unanswered",
}
PARTS = {"finished": "of those that ended by themselves", "fits": "of those that fit the schema"}
MARKS = {"better": "▲", "worse": "▼", "not separated": "="}
ORDER = ("parses", "fits", "consistent", "grounded", "exact", *OUTCOMES, "finished")


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a table: its name, and the row of each decoding, None where it was not measured."""

    name: str
    rows: tuple[Row | None, ...]
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """One table; its columns are the decodings."""

    title: str
    lines: tuple[Line, ...]


def tables(evaluation: Evaluation) -> list[Table]:
    """All tables that have a line."""
    arms = evaluation.arms
    every = [
        Table("Rates over all inputs", tuple(_whole(arms))),
        Table("By field, over all inputs with a label", tuple(_fields(evaluation))),
        Table("Failure kinds, over all inputs", tuple(_others(arms, _is_category))),
        Table("Cost", tuple(_others(arms, lambda row: row.unit != "share"))),
        Table("Repeatability", tuple(_others(arms, lambda row: row.measure.startswith("identical")))),
        Table(
            f"Checks as detectors of wrong answers, {VALID}",
            tuple(_others(arms, lambda row: row.measure.startswith("check "))),
        ),
    ]
    return [table for table in every if table.lines]


def _whole(arms: Sequence[Arm]) -> Iterator[Line]:
    keys = [Key(name) for name in ORDER if name in WHOLE or name in OUTCOMES]
    for key in keys:
        yield _line(arms, key, word(key.measure))
    for measure, part in CONDITIONAL:
        yield _line(arms, Key(measure, of=part), f"  {word(measure)}, {PARTS[part]}", conditional=True)


def _fields(evaluation: Evaluation) -> Iterator[Line]:
    for field in evaluation.fields:
        for outcome in OUTCOMES:
            rows = tuple(_of_field(arm, outcome, field) for arm in evaluation.arms)
            yield Line(f"{field} {outcome}", rows)


def _of_field(arm: Arm, outcome: str, field: str) -> Row | None:
    return next((row for row in arm.rows if (row.measure, row.field) == (outcome, field)), None)


def _others(arms: Sequence[Arm], wanted: Callable[[Row], bool]) -> Iterator[Line]:
    """Rows that are no rates of the closed list, in the order in which the first decoding has them."""
    named = dict.fromkeys((row.measure, row.field, row.of) for arm in arms for row in arm.rows if wanted(row))
    for measure, field, part in named:
        name = f"{field} {measure.removeprefix(CATEGORY)}".lstrip() + (
            "" if part in (ALL, VALID) else f", {part}"
        )
        yield Line(name, tuple(arm.row(measure, field, part) for arm in arms))


def _is_category(row: Row) -> bool:
    return row.measure.startswith(CATEGORY)


def _line(arms: Sequence[Arm], key: Key, name: str, *, conditional: bool = False) -> Line:
    return Line(name, tuple(arm.row(key.measure, key.field, key.of) for arm in arms), conditional)


def word(measure: str) -> str:
    """A measure's name in words."""
    return WORDS.get(measure, measure)


def cell(row: Row | None) -> str:
    """A number as text: a rate with its interval and how it is against the baseline; a cost with its unit."""
    if row is None or row.value is None:
        return "·"
    if row.unit != "share":
        return f"{row.value:.4g} {row.unit}"
    text = f"{row.value:.3f}"
    if row.low is not None and row.high is not None:
        text += f" [{row.low:.3f}, {row.high:.3f}]"
    return f"{text} {MARKS[row.judgement]}" if row.judgement in MARKS else text

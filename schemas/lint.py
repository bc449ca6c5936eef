"""Design rules for a schema class, S001 and up: what makes a schema invent, run on or escape its checks.

Each finding says what is wrong and where, why it matters, and what to do about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from schemas import lint_rules as rules
from schemas.contract import ExtractionSchema
from schemas.lint_rules import Entry, Hit
from schemas.lock import Released, difference, read_lock
from schemas.records import Severity
from schemas.registry import SchemaVersion


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One broken rule. `pointer` leads to the field, `*` for a list's items. Errors forbid release."""

    code: str
    pointer: str
    message: str
    why: str
    fix: str
    severity: Severity = Severity.ERROR


@dataclass(frozen=True, slots=True)
class LintRule:
    """A rule's name and reasons. `check` is None where the rule needs more than the class."""

    title: str
    why: str
    fix: str
    check: Callable[[type[ExtractionSchema], list[Entry]], Iterator[Hit]] | None
    severity: Severity = Severity.ERROR


RULES: dict[str, LintRule] = {
    "S001": LintRule(
        "reasoning stands first",
        "A model that answers before it thinks has only its answer left to justify.",
        "Make `reasoning: Reasoning` the first field.",
        rules.reasoning_first,
    ),
    "S002": LintRule(
        "each answer may be null",
        "Where the document does not say, a field that must be filled is filled with an invention.",
        "Write `| None` behind the type.",
        rules.nullable,
    ),
    "S003": LintRule(
        "every key is present",
        "A key with a default may be left out, and then nobody can tell overlooked from absent.",
        "Take the default away and allow null.",
        rules.no_defaults,
    ),
    "S004": LintRule(
        "no extra keys",
        "A key that the schema does not know is an answer that nobody checks.",
        'Derive nested objects from `Row`, and leave `extra` at "forbid".',
        rules.extra_forbidden,
    ),
    "S005": LintRule(
        "strings are bounded",
        "A string without an end runs on until the token limit, and the answer is cut.",
        "Use `Text`, `LongText`, `Identifier`, or a max_length (of at most 2000) of your own.",
        rules.bounded_strings,
    ),
    "S006": LintRule(
        "lists are bounded",
        "A list without an end repeats its last rows until the token limit.",
        "Give it a max_length, as in `field(max_length=24)`.",
        rules.bounded_lists,
    ),
    "S007": LintRule(
        "numbers are bounded",
        "Digits without an end run on until the token limit.",
        "Use `Money` or `Quantity`, or give max_digits and decimal_places; for int, ge and le.",
        rules.bounded_numbers,
    ),
    "S008": LintRule(
        "enums list the natural spelling",
        "A model copies words as they stand in documents; codes and CONSTANT_CASE push it to a wrong value.",
        "List the words that documents use, or give `field(synonyms={...})` for the code.",
        rules.natural_enums,
    ),
    "S009": LintRule(
        "a released version never changes",
        "Rows that landed under the version would no longer mean what it says.",
        "Undo the change, or make it the next version in a file of its own.",
        None,
    ),
    "S010": LintRule(
        "the decoding backend enforces the schema",
        "What the grammar lets through is found only by the validator, at the price of an attempt.",
        "Say it with a keyword that the backend enforces, or accept that only the validator holds it.",
        rules.unsaid_limits,
        Severity.WARNING,
    ),
    "S011": LintRule(
        "types can be followed",
        "A float cannot hold money exactly, and other types have no check, no grammar and no comparison.",
        "Use str, Money, Quantity, int, bool, date, Literal strings, StrEnum, Row, or lists of these.",
        rules.allowed_types,
    ),
    "S012": LintRule(
        "no enum is closed",
        "A document with a value outside the list comes back as one inside it, and with high confidence.",
        "Allow null beside the values.",
        rules.open_enums,
    ),
    "S013": LintRule(
        "the example is right",
        "The model copies the example's mistakes.",
        "Correct the example's answer until it validates and its own rules are content.",
        rules.right_example,
    ),
    "S014": LintRule(
        "synonyms belong to values",
        "A synonym of a value that is not in the enum is never looked up.",
        "Name only values of the enum.",
        rules.known_synonyms,
    ),
    "S015": LintRule(
        "patterns are anchored",
        "Backends read an unanchored pattern differently: as a part of the string, or as all of it.",
        "Begin the pattern with ^ and end it with $.",
        rules.anchored_patterns,
    ),
    "S016": LintRule(
        "the class says its own things properly",
        "Instructions, example and locale go into the prompt and the checks, where nobody could mend them.",
        "Give instructions and locale as strings, the example as (text, answer); rename fields in the way.",
        rules.well_declared,
    ),
    "S017": LintRule(
        "enum members are whole tokens",
        "A model decides token by token: on the first piece of a word it knows whole, it decides blindly.",
        "Nothing, where the value has to be so (a currency); else a spelling that the model knows.",
        None,
        Severity.WARNING,
    ),
    "S018": LintRule(
        "the schema is the same each time",
        "A schema that differs is compiled for each document, and no two answers were held to the same one.",
        "Build it from what is written down: no set, clock, random number or setting in a type.",
        None,
    ),
}
_UNREADABLE = ("S011", "S016")
Tried: TypeAlias = Mapping[str, Callable[[type[ExtractionSchema]], Iterable[Hit]]]
NOT_TRIED: Tried = {}


def lint(
    cls: type[ExtractionSchema], *, released: Released | None = None, ref: str = "", tried: Tried = NOT_TRIED
) -> list[LintFinding]:
    """All broken rules of a class, by code. `released` is its entry in the lock, if it has one.

    `tried` gives the hits of the rules that need more than the class, such as a decoding backend, by code.
    """
    found: list[LintFinding] = []
    entries = rules.entries(cls)
    for code, rule in RULES.items():
        if rule.check is not None:
            found += [_finding(code, hit) for hit in rule.check(cls, entries)]
    if any(finding.code in _UNREADABLE for finding in found):
        return found  # there is no schema to compare or to compile
    found += _changed(cls, released, ref or cls.__name__)
    found += [_finding(code, hit) for code, experiment in tried.items() for hit in experiment(cls)]
    return sorted(found, key=lambda finding: finding.code)


def lint_version(version: SchemaVersion, tried: Tried = NOT_TRIED) -> list[LintFinding]:
    """All broken rules of a version, held against the lock file that it belongs to."""
    released = read_lock(version.lock).get(version.ref)
    return lint(version.cls, released=released, ref=version.ref, tried=tried)


def _changed(cls: type[ExtractionSchema], released: Released | None, ref: str) -> list[LintFinding]:
    changes = difference(ref, released, cls) if released else ""
    return [_finding("S009", Hit("", f"{ref} has changed since its release:\n{changes}"))] if changes else []


def _finding(code: str, hit: Hit) -> LintFinding:
    rule = RULES[code]
    return LintFinding(code, hit.pointer, hit.message, rule.why, rule.fix, hit.severity or rule.severity)

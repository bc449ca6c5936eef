"""The ladder: the levels in order, and the verdict that they come to.

A level stops the ones above it only where it makes them impossible: text that is no JSON has no fields, JSON
that does not fit the schema has no instance. Consistency and grounding are always both checked.
"""

from __future__ import annotations

from functools import lru_cache
from types import NoneType
from typing import Any

from schemas.contract import ExtractionSchema, leaves
from schemas.records import Category, Ending, FieldResult, Finding, Level, Severity, Status, Verdict
from validators import consistency, schema, syntax
from validators.grounding import completeness, injection, several
from validators.grounding.check import check as check_grounding
from validators.grounding.index import SourceIndex

_ENDINGS: dict[Ending, Category] = {
    Ending.LENGTH: Category.TRUNCATED,
    Ending.REPETITION: Category.REPETITION,
    Ending.REFUSAL: Category.REFUSED,
    Ending.ABORT: Category.ABORTED,
    Ending.TIMEOUT: Category.TIMEOUT,
    Ending.ERROR: Category.ENGINE_ERROR,
}
_NO_ANSWER = {Category.ABORTED, Category.TIMEOUT, Category.ENGINE_ERROR}


def validate(
    text: str,
    schema_class: type[ExtractionSchema],
    source: str | SourceIndex,
    *,
    ending: Ending = Ending.STOP,
    locale: str | None = None,
) -> Verdict:
    """Check one answer at every level that can be checked. Never raises for anything that a model wrote.

    `source` is the document's text, or its index where it is validated more than once. `locale` (`de_DE`)
    decides dates and numbers that the document itself leaves open; by default it is the schema's.
    """
    if ending is not Ending.STOP:
        return _undrawn(_ENDINGS[ending], text)
    value, unparsed = syntax.parse(text)
    if unparsed:
        return verdict([unparsed])
    instance, misfits = schema.check(value, schema_class)
    if instance is None:
        return verdict(misfits, value=value if isinstance(value, dict) else None)
    index = source if isinstance(source, SourceIndex) else SourceIndex(source)
    grounding = check_grounding(
        leaves(instance), index, locale=locale or schema_class.locale, example=_example(schema_class)
    )
    findings = [
        *consistency.check(instance),
        *completeness.findings(instance, grounding.fields, index),
        *index.once(several.findings),
        *grounding.findings,
        *index.once(injection.findings),
    ]
    return verdict(findings, grounding.fields, value)


@lru_cache(maxsize=256)
def _example(schema_class: type[ExtractionSchema]) -> dict[str, Any]:
    """The values of the schema's worked example by pointer, null and true or false left out."""
    if schema_class.example is None:
        return {}
    instance, _ = schema.check(dict(schema_class.example[1]), schema_class)
    found = {leaf.pointer: leaf.value for leaf in leaves(instance)} if instance else {}
    return {pointer: value for pointer, value in found.items() if not isinstance(value, bool | NoneType)}


def verdict(
    findings: list[Finding], fields: tuple[FieldResult, ...] = (), value: dict[str, Any] | None = None
) -> Verdict:
    """The verdict that findings come to: the first error in the order of the levels decides."""
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if not errors:
        return Verdict(Status.ACCEPTED, None, None, tuple(findings), fields, value)
    first = min(errors, key=lambda finding: list(Level).index(finding.level))
    return Verdict(_status(first), first.level, first.category, tuple(findings), fields, value)


def _status(first: Finding) -> Status:
    if first.level in (Level.CONSISTENCY, Level.GROUNDING, Level.CORRECTNESS):
        return Status.FLAGGED
    return Status.FAILED if first.category in _NO_ANSWER else Status.REJECTED


def _undrawn(category: Category, text: str) -> Verdict:
    finding = Finding(
        level=Level.DECODE,
        rule=f"decode.{category.value}",
        severity=Severity.ERROR,
        message=f"the generation ended as {category.value}, after {len(text)} characters",
        category=category,
        expected="an answer that ends by itself",
        found=text[-40:],
    )
    return verdict([finding])

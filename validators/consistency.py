"""Level `consistency`: do the values of one answer agree with each other?

The rules are the schema author's own `@consistency` methods. A rule that raises is a finding of its own: a
mistake in one rule costs neither the document nor the other rules.
"""

from __future__ import annotations

from schemas.contract import ExtractionSchema
from schemas.records import Category, Finding, Level, Severity


def check(instance: ExtractionSchema) -> list[Finding]:
    """All findings of the instance's own rules, in their order."""
    try:
        return list(instance.findings())
    except Exception as error:  # noqa: BLE001  # the author's code may raise anything
        return [broken("findings", error)]


def broken(rule: str, error: Exception) -> Finding:
    """The finding for a rule that raised instead of deciding."""
    return Finding(
        level=Level.CONSISTENCY,
        rule=f"consistency.{rule}",
        severity=Severity.ERROR,
        message=f"the rule itself failed: {type(error).__name__}: {error}",
        category=Category.INCONSISTENT,
    )

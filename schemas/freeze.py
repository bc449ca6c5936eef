"""Releasing a schema version: from then on it stays what it is."""

from __future__ import annotations

from schemas.errors import SchemaError
from schemas.lint import NOT_TRIED, LintFinding, Tried, lint_version
from schemas.lock import read_lock, release, write_lock
from schemas.records import Severity
from schemas.registry import SchemaVersion


def freeze(version: SchemaVersion, tried: Tried = NOT_TRIED) -> bool:
    """Write a version into its lock file; False where it already stands there unchanged.

    `tried` holds the rules that need more than the class (see `schemas.lint.lint`). Raises `SchemaError`
    where it breaks a design rule or has changed since its release.
    """
    broken = [finding for finding in lint_version(version, tried) if finding.severity is Severity.ERROR]
    if broken:
        codes = ", ".join(dict.fromkeys(finding.code for finding in broken))
        told = f"{version.ref} cannot be released: it breaks {codes}; mend what is listed first"
        raise SchemaError(told, "\n".join(map(_line, broken)))
    released = read_lock(version.lock)
    if version.ref in released:
        return False
    write_lock(version.lock, {**released, version.ref: release(version.cls)})
    return True


def _line(finding: LintFinding) -> str:
    return f"{finding.code} {finding.pointer or '/'} {finding.message} {finding.fix}"

"""Each shipped schema's worked example is accepted against its own document, every value placed."""

from __future__ import annotations

import json

import pytest

from schemas.records import Match, Status
from schemas.registry import SchemaVersion, load
from validators.ladder import validate

WITH_EXAMPLE = [version for version in load().all() if version.cls.example]


@pytest.mark.parametrize("version", WITH_EXAMPLE, ids=lambda version: version.ref)
def test_the_example_is_accepted(version: SchemaVersion) -> None:
    assert version.cls.example is not None
    document, answer = version.cls.example
    verdict = validate(json.dumps(answer), version.cls, document)
    assert verdict.status is Status.ACCEPTED, [finding.message for finding in verdict.findings]
    assert all(field.span for field in verdict.fields if field.match not in (Match.NULL, Match.EXEMPT))

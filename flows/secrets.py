"""Keeps what gives access out of everything that is written: logs, errors, records of runs, Prefect."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from functools import lru_cache
from urllib.parse import quote

from schemas.addresses import redacted
from schemas.records import Extraction, Level

_NAMED = re.compile(
    r"(?i)(SECRET|PASSWORD|PASSWD|TOKEN|API_?KEY|ACCESS_?KEY|ACCOUNT_?KEY|AUTH_STRING|CREDENTIAL|_KEY$|_HEADERS$|WEBHOOK)"
)
_SHORTEST = 8
"""Characters; a shorter value would be found in words that are no secret."""


def redact(text: str) -> str:
    """`text` without credentials in addresses, and without any value of the environment that is a secret."""
    for value in _values():
        text = text.replace(value, "***")
    return redacted(text)


def cleaned(extraction: Extraction) -> Extraction:
    """The same where an engine or a store gave the reason for there being no answer: it may quote a key."""
    if extraction.level not in (Level.READ, Level.DECODE):
        return extraction
    attempts = tuple(replace(one, error=_redacted(one.error)) for one in extraction.attempts)
    findings = tuple(replace(one, message=redact(one.message)) for one in extraction.findings)
    return replace(extraction, message=_redacted(extraction.message), attempts=attempts, findings=findings)


def _redacted(text: str | None) -> str | None:
    return None if text is None else redact(text)


def _values() -> list[str]:
    """What the environment holds under a secret's name, the longest first; a path is not the secret."""
    found = {value.strip() for name, value in os.environ.items() if _NAMED.search(name)}
    long = (value for value in found if len(value) >= _SHORTEST and not value.startswith(("/", "./", "~")))
    return sorted({form for value in long for form in _forms(value)}, key=len, reverse=True)


@lru_cache(maxsize=256)
def _forms(value: str) -> frozenset[str]:
    """How a value stands in a text, in an address, in JSON, and in JSON that is a line's text."""
    found = {value}
    for _ in range(2):
        found |= {json.dumps(one, ensure_ascii=plain)[1:-1] for one in found for plain in (True, False)}
    return frozenset(found | {quote(value, safe="")})

"""Keeps what gives access out of everything that is written: logs, errors, records of runs, Prefect."""

from __future__ import annotations

import os
import re

from schemas.addresses import redacted

_NAMED = re.compile(
    r"(?i)(SECRET|PASSWORD|PASSWD|TOKEN|API_?KEY|ACCESS_?KEY|ACCOUNT_?KEY|AUTH_STRING|CREDENTIAL)"
)
_SHORTEST = 8
"""Characters; a shorter value would be found in words that are no secret."""


def redact(text: str) -> str:
    """`text` without credentials in addresses, and without any value of the environment that is a secret."""
    for value in _values():
        text = text.replace(value, "***")
    return redacted(text)


def _values() -> list[str]:
    """What the environment holds under a secret's name, the longest first; a path is not the secret."""
    found = {value for name, value in os.environ.items() if _NAMED.search(name)}
    long = (value for value in found if len(value) >= _SHORTEST)
    return sorted((value for value in long if not value.startswith(("/", "./", "~"))), key=len, reverse=True)

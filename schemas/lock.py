"""`schemas.lock`: what each released version promised on the day it was released.

The file is JSON, one entry a version with its fingerprint and its whole contract, so that a version that has
changed since can be refused with a diff that a person can read.
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemas.contract import ExtractionSchema
from schemas.errors import SchemaError
from schemas.fingerprint import contract, fingerprint

FILE_NAME = "schemas.lock"


@dataclass(frozen=True)
class Released:
    """One entry of the lock."""

    fingerprint: str
    contract: Mapping[str, Any]


def read_lock(path: Path) -> dict[str, Released]:
    """The released versions by reference; none where there is no file. `SchemaError` where it is damaged."""
    if not path.exists():
        return {}
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        return {ref: Released(entry["fingerprint"], entry["contract"]) for ref, entry in entries.items()}
    except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        raise SchemaError(
            f"{path} cannot be read as a lock file: {error}. Take it from version control."
        ) from error


def write_lock(path: Path, released: Mapping[str, Released]) -> None:
    """Write the lock whole or not at all, in the order of the references."""
    entries = {
        ref: {"fingerprint": entry.fingerprint, "contract": entry.contract}
        for ref, entry in sorted(released.items())
    }
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    partial.write_text(json.dumps(entries, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)


def release(cls: type[ExtractionSchema]) -> Released:
    """What would be locked for a class as it stands."""
    plain = json.loads(json.dumps(contract(cls), default=str))
    return Released(fingerprint(cls), plain)


def difference(ref: str, released: Released, cls: type[ExtractionSchema]) -> str:
    """A unified diff from the released contract to the present one; empty where nothing changed."""
    old, new = (_lines(entry.contract) for entry in (released, release(cls)))
    return "\n".join(difflib.unified_diff(old, new, f"{ref} as released", f"{ref} now", lineterm="", n=2))


def _lines(value: Mapping[str, Any]) -> list[str]:
    """One line a value, and a rule's source on lines of its own."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return text.replace("\\n", "\n      ").splitlines()


def check(ref: str, released: Released | None, cls: type[ExtractionSchema]) -> None:
    """Raise `SchemaError` with the diff where a released version is no longer what it was."""
    if released is None or released.fingerprint == fingerprint(cls):
        return
    name, _, number = ref.partition("@")
    raise SchemaError(
        f"{ref} was released and has changed since. Undo the change, or make it {name}@{int(number) + 1} "
        "in a file of its own.",
        difference(ref, released, cls),
    )

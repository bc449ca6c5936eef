"""Which schema versions there are: those shipped, in a dict, and those of a user's own folder."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from schemas.contract import ExtractionSchema
from schemas.errors import SchemaError
from schemas.fingerprint import fingerprint
from schemas.invoice import v1 as invoice_v1
from schemas.invoice import v2 as invoice_v2
from schemas.lock import FILE_NAME, Released, check, read_lock
from schemas.nda.v1 import NonDisclosureAgreement
from schemas.receipt.v1 import Receipt
from schemas.review.v1 import Review
from schemas.user_folder import load_classes

SHIPPED: Mapping[str, type[ExtractionSchema]] = {
    "invoice@1": invoice_v1.Invoice,
    "invoice@2": invoice_v2.Invoice,
    "nda@1": NonDisclosureAgreement,
    "receipt@1": Receipt,
    "review@1": Review,
}
SHIPPED_LOCK = Path(__file__).with_name(FILE_NAME)


@dataclass(frozen=True)
class SchemaVersion:
    """One version: `ref` is "invoice@2". `lock` is the file that it is or would be released in."""

    name: str
    version: int
    ref: str
    cls: type[ExtractionSchema]
    fingerprint: str
    released: bool
    lock: Path


class Registry:
    """The versions known to this process, by reference."""

    def __init__(self, versions: Mapping[str, SchemaVersion], released: Mapping[str, Released]) -> None:
        self._versions = versions
        self._released = released

    def all(self) -> list[SchemaVersion]:
        """Every version, by name and number. Changed ones are among them: `resolve` refuses those."""
        return sorted(self._versions.values(), key=lambda version: (version.name, version.version))

    def resolve(self, ref: str) -> SchemaVersion:
        """The version called `ref`. `SchemaError` where it is unknown, gone, or changed since its release."""
        version = self._versions.get(ref)
        if version is None:
            raise SchemaError(self._unknown(ref))
        check(ref, self._released.get(ref), version.cls)
        return version

    def state(self, version: SchemaVersion) -> str:
        """Where a version stands: `draft`, `released`, or `changed` since its release, which is refused."""
        released = self._released.get(version.ref)
        if released is None:
            return "draft"
        return "released" if released.fingerprint == version.fingerprint else "changed"

    def latest(self, name: str) -> SchemaVersion:
        """The version of a schema with the highest number, checked as by `resolve`."""
        numbers = [version.version for version in self.all() if version.name == name]
        return self.resolve(f"{name}@{max(numbers, default=1)}")

    def _unknown(self, ref: str) -> str:
        if ref in self._released:
            return f"{ref} was released, but its file is gone. Take it from version control."
        known = [version.ref for version in self.all()]
        named = [candidate for candidate in known if candidate.split("@")[0] == ref.split("@")[0]]
        near = named or difflib.get_close_matches(ref, known, n=1)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        own = "Your own are NAME/vN.py in the folder that ASSAY_SCHEMAS names."
        return f"There is no schema version {ref!r}.{hint} Known: {', '.join(known)}. {own}"


def load(folder: Path | None = None) -> Registry:
    """The shipped versions and those under `folder` (layout `name/vN.py`), each with its own lock file.

    Raises `SchemaError`, naming the file and the reason, where a user's file cannot be used.
    """
    released = read_lock(SHIPPED_LOCK)
    versions = _versions(SHIPPED, released, SHIPPED_LOCK)
    if folder is not None:
        own = read_lock(folder / FILE_NAME)
        versions |= _versions(_own(folder), own, folder / FILE_NAME)
        released |= {ref: entry for ref, entry in own.items() if ref not in SHIPPED}
    return Registry(versions, released)


def _own(folder: Path) -> dict[str, type[ExtractionSchema]]:
    classes = load_classes(folder)
    for ref in classes.keys() & SHIPPED.keys():
        raise SchemaError(f"{folder} defines {ref}, which Assay ships: use another name or number.")
    return classes


def _versions(
    classes: Mapping[str, type[ExtractionSchema]], released: Mapping[str, Released], lock: Path
) -> dict[str, SchemaVersion]:
    made = {}
    for ref, cls in classes.items():
        name, _, number = ref.partition("@")
        made[ref] = SchemaVersion(name, int(number), ref, cls, fingerprint(cls), ref in released, lock)
    return made

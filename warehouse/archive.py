"""The original bytes of each document, under their SHA-256.

`archive/ab/ab12…` holds one document. A file is written whole or not at all, and verified whenever
it is read.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import WarehouseError
from warehouse.files import write_whole

_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Archive:
    """Bytes by content, under one folder."""

    folder: Path

    def put(self, data: bytes) -> str:
        """Keep `data`; its SHA-256 in hex. Bytes that are there already are not written again.

        A damaged copy is replaced. Raises WarehouseError where the disk is full.
        """
        sha = hashlib.sha256(data).hexdigest()
        if self._read(sha) != data:
            write_whole(self.path(sha), data)
        return sha

    def get(self, sha: str) -> bytes:
        """The bytes of one document. Raises WarehouseError where they are missing or damaged."""
        data = self._read(sha)
        if data is None:
            raise WarehouseError(f"document {sha} is not in the archive {self.folder}.")
        found = hashlib.sha256(data).hexdigest()
        if found != sha:
            raise WarehouseError(
                f"document {sha} is damaged in the archive: {self.path(sha)} now has the SHA-256 {found}."
            )
        return data

    def remove(self, sha: str) -> None:
        """Forget one document, also what a writer that was killed left of it."""
        path = self.path(sha)
        for one in (path, *path.parent.glob(f".{sha}.*.tmp")):
            one.unlink(missing_ok=True)

    def path(self, sha: str) -> Path:
        """Where a document's bytes stand. Raises WarehouseError for what is no SHA-256 in hex."""
        if not _SHA256.fullmatch(sha):
            raise WarehouseError(f"{sha!r} is no document: a document is named by 64 hex digits.")
        return self.folder / sha[:2] / sha

    def _read(self, sha: str) -> bytes | None:
        path = self.path(sha)
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise WarehouseError(f"document {sha} cannot be read from the archive: {error}") from error

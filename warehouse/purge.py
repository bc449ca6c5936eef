"""Removing documents for good: which go together, what is left to be named, and the tombstones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote, urlsplit

import duckdb

from schemas.records import Blob
from warehouse.rows import now, storable, utc

_FAMILY = """
WITH RECURSIVE family AS (
    SELECT document_id FROM documents WHERE list_contains($ids, document_id)
    UNION SELECT documents.document_id FROM documents JOIN family ON documents.parent_id = family.document_id
)
SELECT document_id, parent_id, uri, bytes,
    (SELECT count(*) FROM extractions WHERE extractions.document_id = documents.document_id),
    (SELECT count(*) FROM attempts WHERE attempts.document_id = documents.document_id)
FROM documents SEMI JOIN family USING (document_id) ORDER BY uri, document_id
"""
# What was attached lives and goes with the mail, so that only the mail's own date counts.
_OLDER = "SELECT document_id FROM documents WHERE parent_id IS NULL AND first_seen_at < $before::TIMESTAMP"
# What else was found in the same blobs: `is_mail` are mails that stay and hold a doomed document's bytes.
_BESIDE = """
SELECT DISTINCT documents.uri, documents.parent_id IS NULL AS is_mail
FROM sightings AS doomed JOIN sightings AS beside USING (uri)
    JOIN documents ON documents.document_id = beside.document_id
WHERE list_contains($ids, doomed.document_id) AND NOT list_contains($ids, beside.document_id)
ORDER BY ALL
"""
_SIGHTINGS = "SELECT document_id, uri, size, modified FROM sightings WHERE list_contains($ids, document_id)"

# Files that labels of a doomed document were read from, or that an evaluation measured it against.
_LABELLED = """
SELECT source FROM labels WHERE list_contains($ids, document_id) AND attempt_id IS NULL
UNION SELECT orders.labels FROM evaluation_orders AS orders JOIN evaluation_inputs USING (evaluation_id)
WHERE list_contains($ids, document_id) ORDER BY 1
"""


@dataclass(frozen=True, slots=True)
class Doomed:
    """A document that is to go, with how much hangs on it. `size` is in bytes."""

    document_id: str
    parent_id: str | None
    uri: str
    size: int
    extractions: int
    attempts: int


@dataclass(frozen=True, slots=True)
class Doom:
    """All that goes together. `names` are what the documents are called.

    `keepers` are mails that stay and hold one of them; `shared` are attachments that such a mail has too.
    `label_files` are files outside the warehouse whose labels were of one of them.
    """

    documents: tuple[Doomed, ...]
    names: tuple[str, ...]
    keepers: tuple[str, ...]
    shared: tuple[str, ...]
    label_files: tuple[str, ...]

    @property
    def ids(self) -> list[str]:
        """The documents' ids."""
        return [one.document_id for one in self.documents]

    @property
    def orphans(self) -> list[Doomed]:
        """Attachments whose mail stays, and with it their bytes."""
        return [one for one in self.documents if one.parent_id and one.parent_id not in self.ids]


@dataclass(frozen=True, slots=True)
class Tombstones:
    """What was purged: documents, and hashes of the listings in which they were seen."""

    documents: frozenset[str] = frozenset()
    listings: frozenset[str] = frozenset()

    def cover(self, blob: Blob) -> bool:
        """Whether a blob is, as listed, one that was purged: it need not be read to be known."""
        return blob.modified is not None and _listing(blob.uri, blob.size, blob.modified) in self.listings


def doomed(connection: duckdb.DuckDBPyConnection, document_ids: Sequence[str]) -> Doom:
    """These documents with all that is attached to them."""
    family = tuple(
        Doomed(*row) for row in connection.execute(_FAMILY, {"ids": list(document_ids)}).fetchall()
    )
    ids = {"ids": [one.document_id for one in family]}
    seen = {uri for _, uri, _, _ in connection.execute(_SIGHTINGS, ids).fetchall()}
    beside = connection.execute(_BESIDE, ids).fetchall()
    keepers = tuple(uri for uri, is_mail in beside if is_mail)
    shared = tuple(uri for uri, is_mail in beside if not is_mail)
    names = _names({one.uri for one in family} | seen - set(keepers))
    files = tuple(source for (source,) in connection.execute(_LABELLED, ids).fetchall())
    return Doom(family, tuple(sorted(names)), keepers, shared, files)


def older(connection: duckdb.DuckDBPyConnection, before: datetime) -> list[str]:
    """The documents that were first seen before a moment."""
    return [row[0] for row in connection.execute(_OLDER, {"before": utc(before)}).fetchall()]


def bury(connection: duckdb.DuckDBPyConnection, doom: Doom, reason: str, who: str) -> None:
    """Write the tombstones into the database that is `anew`."""
    seen: dict[str, set[str]] = {one: set() for one in doom.ids}
    for document_id, uri, size, modified in connection.execute(_SIGHTINGS, {"ids": doom.ids}).fetchall():
        if modified is not None and uri not in doom.keepers:
            seen[document_id].add(_listing(uri, size, modified))
    moment = now()
    rows = [[one, sorted(listings), storable(reason), who, moment] for one, listings in seen.items()]
    if rows:
        connection.executemany("INSERT INTO anew.tombstones VALUES (?, ?, ?, ?, ?)", rows)


def tombstones(connection: duckdb.DuckDBPyConnection) -> Tombstones:
    """All tombstones."""
    rows = connection.execute("SELECT document_id, seen_as FROM tombstones").fetchall()
    listings = (listing for _, seen_as in rows for listing in seen_as)
    return Tombstones(frozenset(document_id for document_id, _ in rows), frozenset(listings))


def _listing(uri: str, size: int, modified: datetime) -> str:
    """A listing's hash: an address may say whose document it is, so that it does not stay itself."""
    moment = utc(modified)
    return sha256(f"{storable(uri)}\0{size}\0{moment:%Y-%m-%dT%H:%M:%S.%f}".encode()).hexdigest()


def _names(uris: Iterable[str]) -> set[str]:
    """Each address, the path in it, and the file's name with and without its suffix, as labels give it."""
    paths = {uri: Path(unquote(urlsplit(uri).path) if "://" in uri else uri) for uri in uris}
    found = {name for uri, path in paths.items() for name in (uri, str(path), path.name, path.stem)}
    return found - {"", "."}

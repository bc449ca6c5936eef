"""Where a run's documents come from: storage, as listed, or the archive (see `flows.archived`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Protocol

from extractors.readers.pool import ReaderPool, ReadResult
from extractors.roots import ANYWHERE, Roots
from extractors.storage import read_all
from flows.bundle import Bundle, unread
from schemas.errors import ReadError
from schemas.records import Blob, Document
from warehouse.archive import Archive


@dataclass(frozen=True, slots=True)
class Arrival:
    """A blob with its bytes, or why there are none. `landed` is its document, where the warehouse has it."""

    blob: Blob
    data: bytes | ReadError
    landed: Document | None = None


class Intake(Protocol):
    """Bytes first, then text: the pipeline calls the one ahead of the other."""

    def arriving(self, at_once: int) -> Iterator[Arrival]:
        """All that is to be done, in order; up to `at_once` are fetched ahead."""
        ...

    def bundle(self, arrival: Arrival, pool: ReaderPool) -> Bundle:
        """The documents in one arrival. Runs in a thread, several at once."""
        ...

    def part(self, start: int, stop: int) -> Portion:
        """What is to be done from `start` to before `stop`."""
        ...


class Portion(Intake, Protocol):
    """A part that another process can do: it opens no database, and is told there what it lacks."""

    def at(self, archive: Archive, purged: frozenset[str]) -> Portion:
        """The same with that archive for what is read, and less what was purged."""
        ...


@dataclass(frozen=True, slots=True)
class StorageIntake:
    """Blobs of a listing, each read whole, archived, and read for its text in a worker process."""

    blobs: Sequence[Blob]
    archive: Archive
    limit: int = field(kw_only=True)
    """Bytes; a larger blob is `too_large`."""
    purged: frozenset[str] = frozenset()
    """Documents that are neither archived nor extracted again."""
    roots: Roots = ANYWHERE

    def arriving(self, at_once: int) -> Iterator[Arrival]:
        """Bytes of each blob, in the order of the listing."""
        for blob, data in read_all(self.blobs, self.limit, at_once, self.roots):
            yield Arrival(blob, data)

    def bundle(self, arrival: Arrival, pool: ReaderPool) -> Bundle:
        """The archive first, so that no reader's crash can cost the bytes."""
        if isinstance(arrival.data, ReadError):
            return unread(arrival.blob, arrival.data)
        if self.purged and sha256(arrival.data).hexdigest() in self.purged:
            return Bundle(arrival.blob, [], set())
        self.archive.put(arrival.data)
        results = without(pool.read(arrival.data, arrival.blob.uri), self.purged)
        for attachment in results[1:]:
            self.archive.put(attachment.data)
        return Bundle(arrival.blob, [result.document for result in results], set())

    def part(self, start: int, stop: int) -> StorageIntake:
        """As `Intake` says: the bytes are fetched by whoever does it."""
        return replace(self, blobs=tuple(self.blobs[start:stop]), purged=frozenset())

    def at(self, archive: Archive, purged: frozenset[str]) -> StorageIntake:
        """As `Portion` says."""
        return replace(self, archive=archive, purged=purged)


def without(results: Sequence[ReadResult], purged: frozenset[str]) -> list[ReadResult]:
    """What was read, less what was purged and what was attached to it. Parents come before attachments."""
    gone = set(purged)
    for one in results:
        if one.document.parent_id in gone:
            gone.add(one.document.document_id)
    return [one for one in results if one.document.document_id not in gone]

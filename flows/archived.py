"""Runs over archived documents: the storage that they came from is not asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from extractors.readers.media import READER_VERSIONS, stamp
from extractors.readers.pool import ReaderPool
from flows.bundle import Bundle
from flows.intake import Arrival, without
from flows.lock import exclusive
from flows.order import Order
from flows.plan import Plan, chosen, recover, terms_of
from flows.settings import Settings
from schemas.decoding import Scoring
from schemas.errors import ReadError, WarehouseError
from schemas.records import Category, Document, Status
from warehouse.archive import Archive
from warehouse.archived import Archived, Selection
from warehouse.store import Warehouse

Attached = Callable[[str], frozenset[str]]
"""What is known to be attached to a document."""

_TOGETHER = 64
"""Documents whose text is fetched at one opening of the database."""


@dataclass(frozen=True, slots=True)
class Rerun:
    """What is asked: an order without a source, which documents, and whether their bytes are read again."""

    order: Order
    selection: Selection
    reread: bool = False


def asked(
    schema: str,
    decoding: str | None = None,
    *,
    from_run: str | None = None,
    since: datetime | None = None,
    statuses: Iterable[Status] = (),
    where: str | None = None,
    limit: int | None = None,
    reread: bool = False,
    again: bool = False,
    scoring: Scoring | None = None,
) -> Rerun:
    """A rerun in the words of the command and the flow."""
    selection = Selection(schema.partition("@")[0], from_run, since, frozenset(statuses), where)
    order = Order(_source(selection), schema, decoding, limit, kind="rerun", again=again, scoring=scoring)
    return Rerun(order, selection, reread)


def _source(selection: Selection) -> str:
    """What a run records as its source. A condition may name a person: it stays without its text."""
    given = {
        "from-run": selection.run,
        "since": selection.since and f"{selection.since:%Y-%m-%d}",
        "status": ",".join(sorted(selection.statuses)),
        "where": selection.where and "…",
    }
    return " ".join(["archive", *(f"--{name} {value}" for name, value in given.items() if value)])


@contextmanager
def planned_rerun(rerun: Rerun, settings: Settings) -> Iterator[Plan]:
    """The plan, in a home that is held until leaving. Raises as `flows.plan.planned` does."""
    with exclusive(settings.home, settings.wait):
        recover(settings)
        yield plan_rerun(rerun, settings)


def plan_rerun(rerun: Rerun, settings: Settings) -> Plan:
    """Decide a run over the archive: what is meant and not done under the recipe, `limit` of it at most."""
    schema, decoding = chosen(rerun.order, settings)
    warehouse = Warehouse(settings.home)
    found = warehouse.archived(replace(rerun.selection, name=schema.name))
    terms = terms_of(rerun.order, settings, schema, decoding)
    done = terms.finished()
    todo = list(islice((one for one in found if one.document_id not in done), rerun.order.limit))
    skipped = sum(one.document_id in done for one in found)
    purged = warehouse.tombstones().documents
    intake = ArchiveIntake(todo, warehouse, reread=rerun.reread, purged=purged)
    return terms.over(len(todo) + skipped, [one.blob for one in todo], done, intake)


@dataclass(frozen=True, slots=True)
class ArchiveIntake:
    """Documents as they were landed, or read again from their bytes where `reread` or the reader is another.

    Every document's bytes are verified; one whose bytes are missing or damaged is `unreadable`, says why, and
    keeps the text that was landed.
    """

    documents: Sequence[Archived]
    warehouse: Warehouse
    reread: bool = False
    purged: frozenset[str] = frozenset()

    def arriving(self, at_once: int) -> Iterator[Arrival]:  # noqa: ARG002  a local disk needs no fetching ahead
        """Each document with its bytes, in order."""
        for start in range(0, len(self.documents), _TOGETHER):
            wanted = self.documents[start : start + _TOGETHER]
            landed = {one.document_id: one for one in self.warehouse.documents(d.document_id for d in wanted)}
            for one in wanted:
                yield Arrival(one.blob, self._bytes(one.document_id), landed[one.document_id])

    def bundle(self, arrival: Arrival, pool: ReaderPool) -> Bundle:
        """The document, and what nobody knew to be attached to it where it is read again."""
        reading = Reading(self.warehouse.archive, self.reread, self.purged)
        return reading.bundle(arrival, pool, self.warehouse.attached)

    def part(self, start: int, stop: int) -> CarriedIntake:
        """As `Intake` says. The documents and their bytes go along: only this process has the archive."""
        documents = self.documents[start:stop]
        arrivals = tuple(replace(self, documents=documents).arriving(1))
        reading = Reading(self.warehouse.archive, self.reread)
        landed = [one.landed for one in arrivals if one.landed]
        again = [one.document_id for one in landed if self.reread or not is_same_reader(one.reader)]
        return CarriedIntake(arrivals, reading, {one: self.warehouse.attached(one) for one in again})

    def _bytes(self, document_id: str) -> bytes | ReadError:
        try:
            return self.warehouse.archive.get(document_id)
        except WarehouseError as error:
            return ReadError(Category.UNREADABLE, str(error))


@dataclass(frozen=True, slots=True)
class Reading:
    """How an archived document is taken up. New attachments go to `archive`."""

    archive: Archive
    reread: bool = False
    purged: frozenset[str] = frozenset()

    def bundle(self, arrival: Arrival, pool: ReaderPool, attached: Attached) -> Bundle:
        """The document, and what nobody knew to be attached to it where it is read again."""
        document, blob, data = arrival.landed, arrival.blob, arrival.data
        assert document is not None  # noqa: S101  `arriving` sets it
        if isinstance(data, ReadError):
            damaged = replace(document, text="", page_starts=(), category=data.category, message=str(data))
            return Bundle(blob, [damaged], set(), listed=False, landed=True)
        if not self.reread and is_same_reader(document.reader):
            return Bundle(blob, [document], set(), listed=False, landed=True)
        return Bundle(blob, self._read_again(document, data, pool, attached), set(), listed=False)

    def _read_again(
        self, document: Document, data: bytes, pool: ReaderPool, attached: Attached
    ) -> list[Document]:
        """The document as it is read now, in its old place, and attachments that no earlier reader found."""
        first, *found = pool.read(data, document.uri)
        known = attached(document.document_id) if found else frozenset()
        new = [one for one in without(found, self.purged) if one.document.document_id not in known]
        for one in new:
            self.archive.put(one.data)
        return [replace(first.document, parent_id=document.parent_id), *(one.document for one in new)]


@dataclass(frozen=True, slots=True)
class CarriedIntake:
    """Archived documents on their way to another process, with their bytes and what is attached to them."""

    arrivals: Sequence[Arrival]
    reading: Reading
    attached: Mapping[str, frozenset[str]]

    def arriving(self, at_once: int) -> Iterator[Arrival]:  # noqa: ARG002  they are here
        """Each document with its bytes, in order."""
        return iter(self.arrivals)

    def bundle(self, arrival: Arrival, pool: ReaderPool) -> Bundle:
        """As `ArchiveIntake` does it."""
        return self.reading.bundle(arrival, pool, self.attached.__getitem__)

    def part(self, start: int, stop: int) -> CarriedIntake:
        """As `Intake` says."""
        return replace(self, arrivals=self.arrivals[start:stop])

    def at(self, archive: Archive, purged: frozenset[str]) -> CarriedIntake:
        """As `Portion` says."""
        return replace(self, reading=replace(self.reading, archive=archive, purged=purged))


def is_same_reader(reader: str) -> bool:
    """Whether a document's text was taken by the reader version that would read it now."""
    name = reader.partition("@")[0]
    return name in READER_VERSIONS and stamp(name) == reader

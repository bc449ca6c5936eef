"""The warehouse: one folder with the database, the archive of bytes, and the shards that wait for landing.

Nothing is opened until it is needed, and everything is closed again at once, so that others get their turn.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from schemas.errors import UsageError, WarehouseError, WarehouseLocked
from schemas.records import Blob, Document, Extraction, Status
from warehouse import copies, current, evaluations, ledger, lookups, metrics, purge, reviews, runs, verdicts
from warehouse.archive import Archive
from warehouse.archived import Archived, Selection, attached, select
from warehouse.asking import Questions
from warehouse.connection import BRIEF_S, END_S, WAIT_S, opened, transaction
from warehouse.copies import Copy
from warehouse.landed import Landed
from warehouse.migrate import is_current, migrate
from warehouse.purge import Doom, Tombstones
from warehouse.rows import now
from warehouse.shards import sweep, waiting
from warehouse.snapshot import refuse_existing, snapshot

if TYPE_CHECKING:
    import pyarrow as pa

    from schemas.recipe import Recipe
    from warehouse.evaluations import LabelRow, Measured
    from warehouse.metrics import Metrics
    from warehouse.quality import Report
    from warehouse.reviews import Review
    from warehouse.rows import Sighting
    from warehouse.typed import SchemaVersion

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Warehouse:
    """Everything kept under one home folder. `wait_s` is the patience with other processes, in seconds.

    Every method raises WarehouseLocked where the database stays held for that long, and WarehouseError where
    it cannot be used: newer than this code, damaged, or the disk is full.
    """

    home: Path
    wait_s: float = WAIT_S

    @property
    def database(self) -> Path:
        """The DuckDB file."""
        return self.home / "warehouse.duckdb"

    @property
    def staging(self) -> Path:
        """The folder of shards that wait for landing."""
        return self.home / "staging"

    @property
    def archive(self) -> Archive:
        """The original bytes."""
        return Archive(self.home / "archive")

    def stage(
        self,
        shard_id: str,
        run_id: str,
        documents: Iterable[Document],
        extractions: Iterable[Extraction],
        sightings: Iterable[Sighting] = (),
    ) -> Path:
        """Write a shard for landing, atomically; no database is touched. See `warehouse.staging.stage`."""
        from warehouse.staging import stage  # loads Arrow, which SQL commands do not need

        return stage(self.staging, shard_id, run_id, documents, extractions, sightings)

    def land(self) -> Landed:
        """Land all shards and notes that wait. Calling it again changes nothing."""
        sweep(self.staging)
        told = ledger.notes(self.staging)
        self._note(told, begun=True)
        landed = self._land_shards()
        self._note(told, begun=False)
        return landed

    def _land_shards(self) -> Landed:
        if not waiting(self.staging):
            return Landed()
        from warehouse.landing import land

        return land(partial(self._opened, read_only=False), self.staging)

    def _note(self, told: list[Path], *, begun: bool) -> None:
        if not told:
            return
        with self._opened(read_only=False) as connection:
            try:
                ledger.take_up(connection, told, begun=begun)
            except duckdb.Error as error:
                raise WarehouseError(f"{self.database}: {error}") from error

    def briefly(self) -> Warehouse:
        """The same warehouse, with the patience of one who can do something else instead of waiting."""
        return replace(self, wait_s=min(self.wait_s, BRIEF_S))

    def start_run(
        self,
        kind: str,
        schema: str,
        recipe_id: str,
        source: str,
        pid: int | None = None,
        retry: Iterable[Status] = (),
    ) -> str:
        """Record a run that begins now; its run_id. `retry` names the statuses that it does again.

        Where somebody else holds the database, the record waits in staging, and the run can go on.
        """
        pid = os.getpid() if pid is None else pid
        run = asdict(runs.beginning(kind, schema, recipe_id, source, pid, retry))
        try:
            self.briefly()._write(lambda connection: runs.begin(connection, **run))
        except WarehouseLocked:
            ledger.tell(self.staging, "begun", **run)
        return str(run["run_id"])

    def heartbeat(self, run_id: str) -> bool:
        """Say that a run still lives; False where a reader holds the database, which is no reason to wait."""
        try:
            with opened(self.database, wait_s=0.2) as connection:
                runs.beat(connection, run_id)
        except WarehouseLocked:
            return False
        return True

    def finish_run(
        self, run_id: str, status: str, counts: Mapping[str, float], message: str | None = None
    ) -> None:
        """Record how a run ended: finished, interrupted, failed or crashed.

        Where somebody else holds the database, or the beginning's record waits, this one waits too.
        """
        ending: dict[str, Any] = {
            "run_id": run_id,
            "status": status,
            "counts": dict(counts),
            "message": message,
        }
        try:
            if not ledger.notes(self.staging):
                self.briefly()._write(lambda connection: runs.finish(connection, **ending))
                return
        except WarehouseLocked:
            pass
        ledger.tell(self.staging, "ended", **ending, moment=now())

    def end_run(
        self, run_id: str, status: str, counts: Mapping[str, float], message: str | None = None
    ) -> str | None:
        """Land what waits and record how a run ended. Where the database is held, both wait: by whom."""
        held = None
        try:
            replace(self, wait_s=min(self.wait_s, END_S)).land()
        except WarehouseLocked as error:
            held = str(error)
        self.finish_run(run_id, status, counts, message)
        return held

    def reap(self, silence_s: float = runs.SILENCE_S) -> list[str]:
        """Mark runs as crashed whose process is gone or silent for `silence_s` seconds; their run_ids."""
        if not self._read(lambda connection: runs.dead(connection, silence_s)):
            return []
        return self._write(lambda connection: runs.bury(connection, silence_s))

    def quarantine(self, run_id: str) -> None:
        """Keep an ended run out of `current` and the typed current views, until it is released."""
        self._write(lambda connection: runs.quarantine(connection, run_id))

    def measure(self, run_id: str) -> Metrics:
        """Measure an ended run for the gate, and keep its figures. See `warehouse.metrics`."""
        return self._write(lambda connection: metrics.measure(connection, run_id))

    def figures(self, run_id: str) -> Metrics:
        """What was measured of an ended run, now where it was not. Raises WarehouseError for others."""
        found = self._read(lambda connection: metrics.kept(connection, run_id))
        return found or self.measure(run_id)

    def record_quality(self, run_id: str, report: Report) -> None:
        """Keep what the gate found on a run, and quarantine it where that is bad enough."""
        self._write(lambda connection: verdicts.record(connection, run_id, report))

    def unchecked(self) -> list[str]:
        """The ended runs that no gate has looked at, the oldest first."""
        return self._read(verdicts.unchecked)

    def release(self, run_id: str) -> None:
        """Let a run in quarantine count again."""
        self._write(lambda connection: runs.release(connection, run_id))

    def register_schema(self, version: SchemaVersion) -> None:
        """Record a schema version and make its typed views. Known ones cost one look.

        Raises SchemaError where its name or its fields cannot become a view.
        """
        from warehouse import registers  # loads Pydantic, which SQL commands do not need

        if not self._read(lambda connection: registers.has_schema(connection, version)):
            self._write(lambda connection: registers.add_schema(connection, version))

    def materialise(self, version: SchemaVersion, keep: bool = True) -> None:
        """Keep a typed table of a registered version's answers from now on, or no longer."""
        from warehouse import materialised

        if self._read(lambda connection: materialised.is_kept(connection, version)) == keep:
            return
        change = materialised.keep if keep else materialised.drop
        self._write(lambda connection: change(connection, version))

    def register_recipe(self, recipe: Recipe) -> None:
        """Record a recipe. Known ones cost one look."""
        from warehouse import registers

        if not self._read(lambda connection: registers.has_recipe(connection, recipe)):
            self._write(lambda connection: registers.add_recipe(connection, recipe))

    def done(self, recipe_id: str, retry: Iterable[Status] = ()) -> set[str]:
        """The documents that need nothing more under a recipe. Those whose last status is in `retry` do."""
        return self._read(lambda connection: lookups.done(connection, recipe_id, retry))

    def known(self, blobs: Iterable[Blob]) -> dict[str, frozenset[str]]:
        """URI to documents, attachments too, of each blob with the size and time of its last sighting."""
        listed = list(blobs)
        return self._read(lambda connection: lookups.known(connection, listed))

    def documents(self, document_ids: Iterable[str]) -> list[Document]:
        """Documents with their text, in the order of their ids; unknown ones are left out."""
        wanted = list(document_ids)
        return self._read(lambda connection: lookups.documents(connection, wanted))

    def add_labels(self, rows: Iterable[LabelRow]) -> None:
        """Record labels, such as a person's corrections; the newest of a place counts."""
        listed = list(rows)
        self._write(lambda connection: evaluations.add_labels(connection, listed))

    def decide(self, review: Review, labels: Sequence[LabelRow], seen: str) -> None:
        """Record a person's decision and its labels. Raises ReviewConflict: `warehouse.reviews.decide`."""

        def record(connection: duckdb.DuckDBPyConnection) -> None:
            reviews.decide(connection, review, labels, seen)
            current.choose_again(connection, review.run_id, review.document_id)

        self._write(record)

    def labels(self, schema: str) -> list[tuple[str, str, str]]:
        """Document, pointer and JSON text of a schema version's labels, each document's oldest first."""
        return self._read(lambda connection: evaluations.labels(connection, schema))

    def add_evaluation(self, measured: Measured) -> None:
        """Record what an evaluation measured, all of it or nothing."""
        self._write(lambda connection: evaluations.add(connection, measured))

    def resolve_evaluation(self, given: str) -> str:
        """The evaluation_id that starts with `given`. Raises UsageError where none or several do."""
        return self._read(lambda connection: evaluations.resolve(connection, given))

    def snapshot(self, file: Path, *, replace: bool = False) -> None:
        """Copy the database for long readers, and record where, so that a purge can name the copy.

        Raises UsageError where `file` is there already, unless `replace`.
        """
        self._read(lambda _: None)  # creates or upgrades it where that is due
        refuse_existing(self.database, file, replace=replace)
        self.record_copy(file, "snapshot")  # before there is one: a kill must not leave one that nobody knows
        snapshot(self.database, file, wait_s=self.wait_s)

    def doomed(self, document_ids: Iterable[str]) -> Doom:
        """What a purge of these documents would take."""
        wanted = list(document_ids)
        return self._read(lambda connection: purge.doomed(connection, wanted))

    def older(self, before: datetime) -> list[str]:
        """The documents that were first seen before a moment, attachments left out."""
        return self._read(lambda connection: purge.older(connection, before))

    def purge(self, doom: Doom, reason: str, who: str) -> None:
        """Remove documents and all that came of them, for good; tombstones stay. Nothing may wait in staging.

        The database is written anew, which takes as much room again. Where that fails, nothing is removed.
        """
        from warehouse.erase import erase  # loads Arrow, and the next one Pydantic
        from warehouse.rewrite import rewritten, sweep

        with rewritten(self.database, doom.ids, doom.names, self.wait_s) as connection:
            purge.bury(connection, doom, reason, who)
            erase(self.home, doom.ids)
            sweep(self.database)

    def tombstones(self) -> Tombstones:
        """What was purged, so that it is known again."""
        return self._read(purge.tombstones)

    def copies(self) -> list[Copy]:
        """The snapshots and exports that are still where they were put."""
        return self._read(copies.existing)

    def record_copy(self, path: Path, kind: str) -> None:
        """Record that content of the warehouse now stands at `path`: a `snapshot`, or an export."""
        copy: dict[str, Any] = {"path": str(path.absolute()), "kind": kind, "made_at": now()}
        try:
            self.briefly()._write(lambda connection: copies.add(connection, **copy))
        except WarehouseLocked:
            ledger.tell(self.staging, "copied", **copy)

    def archived(self, selection: Selection) -> list[Archived]:
        """The archived documents that a person means. Raises UsageError where its `where` is no condition."""
        return self._read(lambda connection: select(connection, selection))

    def attached(self, document_id: str) -> frozenset[str]:
        """The documents that are known to be attached to one, at any depth."""
        return self._read(lambda connection: attached(connection, document_id))

    def query(
        self, sql: str, params: Sequence[Any] | Mapping[str, Any] | None = None, *, read_only: bool = True
    ) -> pa.Table:
        """The answer to a person's SQL. Read-only, it can neither change a table nor touch a file.

        Raises UsageError with the database's own message where the SQL is wrong.
        """

        def ask(connection: duckdb.DuckDBPyConnection) -> pa.Table:
            try:
                if len(connection.extract_statements(sql)) > 1:  # DuckDB gives the last answer only
                    raise UsageError("ask one statement at a time: only the last answer would be seen")
                return _table(connection.sql(sql, params=params))
            except duckdb.Error as error:
                raise UsageError(str(error)) from error

        return self._read(ask) if read_only else self._write(ask)

    @contextmanager
    def asking(self) -> Iterator[Questions]:
        """One opening for several questions of our own; it can neither change a table nor touch a file."""
        with self._opened(read_only=True) as connection:
            yield Questions(connection)

    def _read(self, ask: Callable[[duckdb.DuckDBPyConnection], _T]) -> _T:
        with self._opened(read_only=True) as connection:
            return ask(connection)

    def _write(self, change: Callable[[duckdb.DuckDBPyConnection], _T]) -> _T:
        with self._opened(read_only=False) as connection:
            try:
                with transaction(connection):
                    return change(connection)
            except duckdb.Error as error:
                raise WarehouseError(f"{self.database}: {error}") from error

    @contextmanager
    def _opened(self, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open the database; where it is older than the code or not there yet, bring it up to date first."""
        if self.database.exists():
            with opened(self.database, read_only=read_only, wait_s=self.wait_s) as connection:
                if is_current(connection):
                    yield connection
                    return
        migrate(self.database, wait_s=self.wait_s)
        with opened(self.database, read_only=read_only, wait_s=self.wait_s) as connection:
            yield connection


def _table(relation: duckdb.DuckDBPyRelation | None) -> pa.Table:
    """All rows of an answer; a statement that has none gives a table without columns."""
    import pyarrow as pa

    return pa.table({}) if relation is None else relation.to_arrow_table()

"""Copies of what is kept, and its end: exports, snapshots, purges and tombstones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from schemas.errors import WarehouseLocked
from schemas.records import Status
from warehouse import copies, ledger, purge
from warehouse.copies import Copy
from warehouse.home import Home
from warehouse.purge import Doom, Tombstones
from warehouse.rows import now
from warehouse.snapshot import refuse_existing, snapshot

if TYPE_CHECKING:
    from warehouse.export import Exported


class Keeping(Home):
    """What leaves the warehouse, as a copy or for good."""

    __slots__ = ()

    def snapshot(self, file: Path, *, replace: bool = False) -> None:
        """Copy the database for long readers, and record where, so that a purge can name the copy.

        Raises UsageError where `file` is there already, unless `replace`.
        """
        self._read(lambda _: None)  # creates or upgrades it where that is due
        refuse_existing(self.database, file, replace=replace)
        self.record_copy(file, "snapshot")  # before there is one: a kill must not leave one that nobody knows
        snapshot(self.database, file, wait_s=self.wait_s)

    def export_parquet(self, folder: Path, schemas: Sequence[str], statuses: Iterable[Status]) -> Exported:
        """Write current answers below `folder`, typed; see `warehouse.export`."""
        from warehouse.export import export_parquet

        return export_parquet(self._writing_to, folder, schemas, statuses)

    def export_csv(
        self, file: Path, schema: str, statuses: Iterable[Status], *, exact: bool = False
    ) -> Exported:
        """Write one version's current answers into `file`, safe for spreadsheets unless `exact`."""
        from warehouse.export import export_csv

        return export_csv(self._writing_to, file, schema, statuses, exact=exact)

    def _writing_to(self, folder: Path) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        return self._opened(read_only=True, writes_to=folder)

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

"""Runs as they go on: their records, their shards, and what waits where somebody else holds the database."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from schemas.errors import WarehouseError, WarehouseLocked
from schemas.records import Document, Extraction, Status
from warehouse import ledger, runs
from warehouse.connection import END_S, opened
from warehouse.home import Home
from warehouse.landed import Landed
from warehouse.rows import now
from warehouse.said import said
from warehouse.shards import sweep, waiting

if TYPE_CHECKING:
    from warehouse.rows import Sighting


class Running(Home):
    """Staging, landing, and the record of each run."""

    __slots__ = ()

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
                raise WarehouseError(f"{self.database}: {said(error)}") from error

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

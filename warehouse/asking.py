"""Several questions in one opening of the database, answered as plain rows, in a limited time if need be."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import duckdb

from schemas.errors import WarehouseError
from warehouse.said import said


@dataclass(frozen=True, slots=True)
class Questions:
    """Asks on a connection that its maker closes. Answers need no Arrow."""

    connection: duckdb.DuckDBPyConnection

    def rows(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """All rows, by column. Raises WarehouseError with the database's message."""
        try:
            return self._rows(sql, parameters)
        except duckdb.Error as error:
            raise WarehouseError(said(error)) from error

    def within(
        self, limit_s: float, sql: str, parameters: Mapping[str, Any] | None = None
    ) -> list[dict[str, Any]] | None:
        """The same, or None where it would take longer than `limit_s` seconds."""
        timer = threading.Timer(limit_s, self.connection.interrupt)
        timer.start()
        try:
            return self._rows(sql, parameters)
        except duckdb.InterruptException:
            return None
        except duckdb.Error as error:
            raise WarehouseError(said(error)) from error
        finally:
            timer.cancel()
            timer.join()  # an interrupt that comes late must not hit the next question

    def _rows(self, sql: str, parameters: Mapping[str, Any] | None) -> list[dict[str, Any]]:
        found = self.connection.execute(sql, parameters)
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

"""One home folder, and the only place where its database is opened.

Nothing is opened until it is needed, and everything is closed again at once, so that others get their turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import duckdb

from schemas.errors import UsageError, WarehouseError
from warehouse.archive import Archive
from warehouse.asked import Asked
from warehouse.asking import Questions
from warehouse.connection import BRIEF_S, WAIT_S, opened, transaction
from warehouse.migrate import is_current, migrate
from warehouse.said import said, shown

if TYPE_CHECKING:
    import pyarrow as pa

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Home:
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

    def briefly(self) -> Self:
        """The same warehouse, with the patience of one who can do something else instead of waiting."""
        return replace(self, wait_s=min(self.wait_s, BRIEF_S))

    def query(
        self, sql: str, params: Sequence[Any] | Mapping[str, Any] | None = None, *, read_only: bool = True
    ) -> pa.Table:
        """The answer to a person's SQL. Read-only, it can neither change a table nor touch a file.

        Raises UsageError with the database's own message, and its place, where the SQL is wrong.
        """

        def ask(connection: duckdb.DuckDBPyConnection) -> pa.Table:
            try:
                if len(connection.extract_statements(sql)) > 1:  # DuckDB gives the last answer only
                    raise UsageError("ask one statement at a time: only the last answer would be seen")
                return _table(connection.sql(sql, params=params))
            except duckdb.Error as error:
                raise UsageError(f"that SQL has no answer: {said(error)}", shown(error)) from error

        return self._read(ask) if read_only else self._write(ask)

    @contextmanager
    def asking(self) -> Iterator[Questions]:
        """One opening for several questions of our own; it can neither change a table nor touch a file."""
        with self._opened(read_only=True) as connection:
            yield Questions(connection)

    def answer(self, asked: Asked) -> list[dict[str, Any]]:
        """The rows that answer one question of our own."""
        with self.asking() as ask:
            return asked.rows(ask)

    def _read(self, ask: Callable[[duckdb.DuckDBPyConnection], _T]) -> _T:
        with self._opened(read_only=True) as connection:
            return ask(connection)

    def _write(self, change: Callable[[duckdb.DuckDBPyConnection], _T]) -> _T:
        with self._opened(read_only=False) as connection:
            try:
                with transaction(connection):
                    return change(connection)
            except duckdb.Error as error:
                raise WarehouseError(f"{self.database}: {said(error)}") from error

    @contextmanager
    def _opened(
        self, *, read_only: bool, writes_to: Path | None = None
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open the database; where it is older than the code or not there yet, bring it up to date first.

        A reader may write files into the folder `writes_to` alone.
        """
        opening = partial(opened, self.database, read_only=read_only, writes_to=writes_to, wait_s=self.wait_s)
        if self.database.exists():
            with opening() as connection:
                if is_current(connection):
                    yield connection
                    return
        migrate(self.database, wait_s=self.wait_s)
        with opening() as connection:
            yield connection


def _table(relation: duckdb.DuckDBPyRelation | None) -> pa.Table:
    """All rows of an answer; a statement that has none gives a table without columns."""
    import pyarrow as pa

    return pa.table({}) if relation is None else relation.to_arrow_table()

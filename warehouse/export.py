"""Current answers as files for others: Parquet by schema version and day, or CSV.

A file or folder is written aside and then put in its place, so that it is there whole or not at all.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

import duckdb

from schemas.errors import UsageError, WarehouseError
from schemas.records import Status
from warehouse.files import writing
from warehouse.said import said
from warehouse.typed import identifier, literal

Opening: TypeAlias = Callable[[Path], AbstractContextManager[duckdb.DuckDBPyConnection]]
"""Opens the database for reading, with files written into the given folder alone."""
_NESTED = ("STRUCT", "MAP", "UNION", "JSON")
# What a spreadsheet takes for a formula when a cell begins so: a document could then run one. Some read the
# full-width signs too, and drop blanks before them.
_FORMULA = r"^\s*[=+\-@\x{FF1D}\x{FF0B}\x{FF0D}\x{FF20}]|^[\t\r\n]"


@dataclass(frozen=True, slots=True)
class Exported:
    """How many answers were written. `without` are current outcomes that have no valid answer to write."""

    answers: int
    without: int


def refuse_existing(target: Path, home: Path, *, replace: bool) -> None:
    """Raises UsageError where `target` is there already and may not be replaced.

    What is in `home`, and a folder that holds more than an older export, may never be: it would be lost.
    """
    if not target.exists():
        return
    if not replace:
        raise UsageError(f"{target} is there already: choose another name, or replace it by --force")
    if target.resolve().is_relative_to(home.resolve()):
        raise UsageError(f"{target} is Assay's own: choose a place outside {home}")
    if target.is_dir() and (more := [one for one in target.iterdir() if not one.name.startswith("schema=")]):
        raise UsageError(f"{target} holds {more[0].name}, which is no export: choose another folder")


def export_parquet(
    opening: Opening, folder: Path, schemas: Sequence[str], statuses: Iterable[Status]
) -> Exported:
    """Each schema version's answers below `folder`, as `schema=receipt%401/day=2026-03-09/*.parquet`.

    Columns have the exact types of the version's view. Raises UsageError for an unknown version, and where
    there is no answer to write: `folder` is then left as it was.
    """
    options = "FORMAT parquet, COMPRESSION zstd, PARTITION_BY (schema, {day}), OVERWRITE_OR_IGNORE"
    with _exporting(opening, folder) as (connection, aside):
        aside.mkdir()
        done = Exported(0, 0)
        for ref in schemas or _versions(connection):
            answers = _Answers(connection, ref, statuses)
            select = f"SELECT * FROM ({answers.sql})"
            done = answers.write(select, aside, options.format(day=identifier(answers.day)), done)
        return _some(done, schemas, statuses)


def export_csv(
    opening: Opening, file: Path, schema: str, statuses: Iterable[Status], *, exact: bool
) -> Exported:
    """One schema version's answers in one file with a header; lists and objects stand as JSON.

    Text that a spreadsheet would take for a formula gets an apostrophe before it, unless `exact`. Raises
    UsageError for an unknown version, and where there is no answer to write: `file` is then left as it was.
    """
    with _exporting(opening, file) as (connection, aside):
        answers = _Answers(connection, schema, statuses)
        columns = ", ".join(_cell(name, kind, exact) for name, kind in answers.columns)
        select = f"SELECT {columns} FROM ({answers.sql})"
        done = answers.write(select, aside, "FORMAT csv, HEADER", Exported(0, 0))
        return _some(done, [schema], statuses)


def _some(done: Exported, schemas: Sequence[str], statuses: Iterable[Status]) -> Exported:
    """The same. An empty file would be taken for an answer, so it is refused with the reason."""
    if done.answers:
        return done
    ended = f"no current answer under {', '.join(schemas) or 'any schema'} is {' or '.join(sorted(statuses))}"
    others = f"; documents that ended otherwise: {done.without}, see `assay failures`" if done.without else ""
    raise UsageError(f"nothing to write: {ended}{others}")


class _Answers:
    """The current answers of one schema version: their SQL, and the columns that it gives."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, ref: str, statuses: Iterable[Status]) -> None:
        if ref not in _versions(connection):
            known = ", ".join(_versions(connection)) or "none"
            raise UsageError(f"nothing was ever extracted under {ref}: choose of {known}")
        self._connection = connection
        self._ref = ref
        view = identifier(ref.replace("@", "_v"))
        fields = [name for name, *_ in connection.execute(f"DESCRIBE {view}").fetchall()]
        uri, self.day = _free("uri", fields), _free("day", fields)
        chosen = ", ".join(literal(status) for status in statuses) or "NULL"
        self.sql = f"""
            SELECT answers.* EXCLUDE (is_current), documents.uri AS {identifier(uri)},
                answers.finished_at::DATE AS {identifier(self.day)}
            FROM {view} AS answers JOIN documents USING (document_id)
            WHERE answers.is_current AND answers.status IN ({chosen})
            ORDER BY answers.finished_at, answers.document_id"""

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Each column's name and type."""
        return [(row[0], row[1]) for row in self._connection.execute(f"DESCRIBE {self.sql}").fetchall()]

    def write(self, select: str, target: Path, options: str, done: Exported) -> Exported:
        """Write what `select` gives; the counts, added to those of `done`."""
        copy = f"COPY ({select}) TO {literal(str(target))} ({options})"
        (count,) = self._connection.execute(copy).fetchall()[0]
        sql = "SELECT count(*) FROM current WHERE schema = ?"
        (current,) = self._connection.execute(sql, [self._ref]).fetchall()[0]
        return Exported(done.answers + count, done.without + current - count)


def _versions(connection: duckdb.DuckDBPyConnection) -> list[str]:
    sql = "SELECT DISTINCT schema FROM schema_versions ORDER BY schema"
    return [schema for (schema,) in connection.execute(sql).fetchall()]


def _free(name: str, taken: Iterable[str]) -> str:
    """`name`, or with `_` behind it where a field is called so."""
    used = {one.casefold() for one in taken}
    while name in used:
        name += "_"
    return name


def _cell(name: str, kind: str, exact: bool) -> str:
    quoted = identifier(name)
    if kind.endswith("[]") or kind.startswith(_NESTED):
        return f"to_json({quoted}) AS {quoted}"
    if kind != "VARCHAR" or exact:
        return quoted
    formula = f"regexp_matches({quoted}, '{_FORMULA}')"
    return f"CASE WHEN {formula} THEN chr(39) || {quoted} ELSE {quoted} END AS {quoted}"


@contextmanager
def _exporting(opening: Opening, target: Path) -> Iterator[tuple[duckdb.DuckDBPyConnection, Path]]:
    """A connection that may write into one new folder only, and where there; that is then put in place."""
    with writing(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = target.absolute().with_name(f".{target.name}.{os.getpid()}.{uuid4().hex[:8]}")
        aside.mkdir()
        try:
            with opening(aside) as connection, _translated(target):
                yield connection, aside / "new"
            _put(aside / "new", target, aside / "old")
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def _put(new: Path, target: Path, old: Path) -> None:
    if target.is_dir():
        target.rename(old)
    new.rename(target)


@contextmanager
def _translated(target: Path) -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        raise WarehouseError(f"{target} was left as it was: {said(error)}") from error

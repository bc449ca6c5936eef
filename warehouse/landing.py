"""From staged shards to tables: one transaction a shard, and a second landing changes nothing.

A shard's row in `landings` is written in the same transaction as its rows, so kill -9 at any moment leaves
either nothing of it or all of it; its folder is removed only after that.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from schemas.errors import WarehouseError
from warehouse import materialised
from warehouse.connection import transaction
from warehouse.current import choose
from warehouse.landed import Landed
from warehouse.rows import now
from warehouse.said import said
from warehouse.shards import waiting
from warehouse.staging import read_shard, shard_run

_log = logging.getLogger(__name__)

# Shards to land before the database is closed once, so that a reader who waits gets its turn.
_SHARDS_AN_OPENING = 50

# What stands already of the shard's documents. The shard is the small side of each join, so that none of them
# builds a table of all that was ever landed.
_KNOWN = """
CREATE OR REPLACE TEMP TABLE known_documents AS
    SELECT document_id, reader, category FROM documents SEMI JOIN staged_documents USING (document_id);
CREATE OR REPLACE TEMP TABLE known_extractions AS
    SELECT document_id, run_id, recipe_id, schema, found.level,
        coalesce(decided.status, found.status) AS status,
        run_id IN (SELECT run_id FROM runs WHERE kind = 'evaluate') AS measured_only
    FROM (FROM extractions SEMI JOIN staged_extractions USING (document_id)) AS found
        LEFT JOIN (SELECT run_id, document_id, status FROM decided) AS decided USING (run_id, document_id);
"""
# Which documents get their extraction now. A run has one for each; and what another run finished under the
# same recipe stands, unless this run was asked to do that status again; the status is that
# after a review. An evaluation only measures: what it did neither stands in the way, nor counts as current.
_FRESH = """
CREATE OR REPLACE TEMP TABLE fresh AS
SELECT staged.document_id FROM staged_extractions AS staged WHERE NOT EXISTS (
    FROM known_extractions AS known
    WHERE known.document_id = staged.document_id AND (
        known.run_id = staged.run_id
        OR known.recipe_id = staged.recipe_id
            AND NOT known.measured_only
            AND (known.status <> 'failed' OR known.level IN ('read', 'fit'))
            AND NOT list_contains($retry, known.status)))
"""
_NEW = """
CREATE OR REPLACE TEMP VIEW new_extractions AS
SELECT staged.*, staged.run_id NOT IN (
    SELECT run_id FROM runs WHERE kind = 'evaluate' OR status = 'quarantined') AS is_current
FROM staged_extractions AS staged SEMI JOIN fresh USING (document_id)
"""
# A document is known by its bytes: where it was first seen stays, its text follows its newest reader.
_INSERTS = """
INSERT INTO documents BY NAME FROM staged_documents ANTI JOIN known_documents USING (document_id);
DELETE FROM sightings WHERE uri IN (SELECT uri FROM staged_sightings);
INSERT INTO sightings BY NAME FROM staged_sightings;
INSERT INTO extractions BY NAME FROM new_extractions;
INSERT INTO attempts BY NAME
    SELECT *, json_valid(text) AND starts_with(ltrim(text), '{') AS parses
    FROM staged_attempts SEMI JOIN fresh USING (document_id);
INSERT INTO fields BY NAME FROM staged_fields SEMI JOIN fresh USING (document_id);
INSERT INTO findings BY NAME FROM staged_findings SEMI JOIN fresh USING (document_id);
"""
_REREAD = """
UPDATE documents SET
    media_type = staged.media_type, text = staged.text, page_starts = staged.page_starts,
    reader = staged.reader, category = staged.category, message = staged.message
FROM staged_documents AS staged JOIN known_documents AS known USING (document_id)
WHERE documents.document_id = staged.document_id
    AND (known.reader, known.category) IS DISTINCT FROM (staged.reader, staged.category)
"""
# A run that ended before its last shard was landed has counted its documents already.
_COUNTED = "UPDATE runs SET heartbeat_at = ?, documents = documents + ? WHERE run_id = ?"


def land(opening: Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]], folder: Path) -> Landed:
    """Land every shard that waits in `folder`. A damaged one is put aside, logged and named in the result.

    `opening` opens the database for writing. Raises what it raises, and WarehouseError for a full disk; what
    was not landed then waits for the next call.
    """
    total = Landed()
    shards = waiting(folder)
    for start in range(0, len(shards), _SHARDS_AN_OPENING):
        with opening() as connection, _landing():
            for shard in shards[start : start + _SHARDS_AN_OPENING]:
                total = total.plus(_land_or_put_aside(connection, shard))
    return total


def _land_or_put_aside(connection: duckdb.DuckDBPyConnection, shard: Path) -> Landed:
    if not shard.exists():  # another process landed it while this one waited for the database
        return Landed()
    landed = Landed()
    if not _is_landed(connection, shard.name):  # else it was, and its folder is what a kill left of it
        try:
            tables = read_shard(shard)
        except WarehouseError as error:
            aside = _put_aside(shard)
            _log.error("%s; it now stands in %s, and its documents will be done again", error, aside)
            return Landed(damaged=(shard.name,))
        landed = _land_shard(connection, shard.name, tables)
    shutil.rmtree(shard, ignore_errors=True)
    return landed


def _is_landed(connection: duckdb.DuckDBPyConnection, shard_id: str) -> bool:
    return bool(connection.execute("SELECT 1 FROM landings WHERE shard_id = ?", [shard_id]).fetchall())


def _land_shard(connection: duckdb.DuckDBPyConnection, shard_id: str, tables: dict[str, pa.Table]) -> Landed:
    """Land one shard, and the record of it, in one transaction."""
    run_id, staged = shard_run(tables), tables["extractions"].num_rows
    with transaction(connection):
        fresh, repeated = _insert(connection, run_id, tables)
        row = [shard_id, run_id, staged - repeated, fresh, now()]
        connection.execute("INSERT INTO landings VALUES (?, ?, ?, ?, ?)", row)
        connection.execute(_COUNTED, [now(), fresh, run_id])
    return Landed(shards=1, extractions=fresh, skipped=staged - fresh)


def _insert(
    connection: duckdb.DuckDBPyConnection, run_id: str, tables: dict[str, pa.Table]
) -> tuple[int, int]:
    """Insert what is not there yet: how many extractions were not, and how many this run had landed before.

    Two workers may do the same bytes under two names, and neither knows of the other.
    """
    with _registered(connection, tables):
        connection.execute(_KNOWN)
        connection.execute(_FRESH, {"retry": _retry(connection, run_id)})
        connection.execute(_NEW)
        connection.execute(_INSERTS)
        materialised.add(connection, "new_extractions")
        if _any(connection, "known_documents"):
            connection.execute(_REREAD)
        if _any(connection, "known_extractions SEMI JOIN fresh USING (document_id)"):
            choose(connection, "SELECT document_id FROM fresh")
        return _count(connection, "fresh"), _count(connection, "known_extractions WHERE run_id = ?", run_id)


def _count(connection: duckdb.DuckDBPyConnection, rows: str, *parameters: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {rows}", parameters).fetchall()[0][0])


def _any(connection: duckdb.DuckDBPyConnection, rows: str) -> bool:
    return bool(connection.execute(f"SELECT 1 FROM {rows} LIMIT 1").fetchall())


def _retry(connection: duckdb.DuckDBPyConnection, run_id: str) -> list[str]:
    rows = connection.execute("SELECT retry FROM runs WHERE run_id = ?", [run_id]).fetchall()
    return [str(status) for status in rows[0][0]] if rows else []


@contextmanager
def _registered(connection: duckdb.DuckDBPyConnection, tables: dict[str, pa.Table]) -> Iterator[None]:
    for name, table in tables.items():
        connection.register(f"staged_{name}", table)
    try:
        yield
    finally:
        for name in tables:
            connection.unregister(f"staged_{name}")


@contextmanager
def _landing() -> Iterator[None]:
    """Translate the database's own errors, above all that of a full disk."""
    try:
        yield
    except duckdb.Error as error:
        full = "the disk is full: make room and land again; " if "No space left" in str(error) else ""
        raise WarehouseError(f"{full}nothing is half landed: {said(error)}") from error


def _put_aside(shard: Path) -> Path:
    aside = shard.with_name(f".damaged-{shard.name}")
    shutil.rmtree(aside, ignore_errors=True)
    return shard.rename(aside)

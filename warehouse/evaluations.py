"""Labels and evaluations: what is known to be right, and what was measured against it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

import duckdb

from schemas.errors import UsageError
from warehouse.rows import storable

# A label that stands already is not written again: nothing newer was said of its place, of what is in it, or
# of what it is in. A file's label stands where it is its newest; a person's where it is the newest of all.
_ADD_LABELS = """
WITH newest AS (
    SELECT staged.label_id,
        arg_max({pointer: known.pointer, value: known.value::VARCHAR}, known.label_id) AS said
    FROM staged_labels AS staged JOIN labels AS known
        ON known.document_id = staged.document_id AND known.schema = staged.schema
        AND (known.source = staged.source OR staged.attempt_id IS NOT NULL)
        AND (known.pointer = staged.pointer OR starts_with(known.pointer, staged.pointer || '/')
            OR starts_with(staged.pointer, known.pointer || '/'))
    GROUP BY staged.label_id
)
INSERT INTO labels BY NAME
SELECT staged.* FROM staged_labels AS staged LEFT JOIN newest USING (label_id)
WHERE said IS NULL OR (said.pointer, said.value) IS DISTINCT FROM (staged.pointer, staged.value)
"""
_LABELS = """
SELECT document_id, pointer, value::VARCHAR FROM labels WHERE schema = $schema ORDER BY document_id, label_id
"""


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One label. `value` and `before` are JSON text; `pointer` is an RFC 6901 JSON Pointer."""

    label_id: str
    document_id: str
    schema: str
    pointer: str
    value: str
    who: str
    source: str
    labelled_at: datetime
    before: str | None = None
    attempt_id: str | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """One evaluation as its tables hold it: a row of `evaluation_orders`, and the rows of the other three."""

    order: Mapping[str, Any]
    runs: Sequence[Mapping[str, Any]]
    rates: Sequence[Mapping[str, Any]]
    inputs: Sequence[Mapping[str, Any]]
    labels: Sequence[LabelRow] = field(default=())


def add_labels(connection: duckdb.DuckDBPyConnection, rows: Iterable[LabelRow]) -> None:
    """Record labels; call within a transaction."""
    listed = [asdict(row) for row in rows]
    if listed:
        _with_staged(connection, "labels", listed, _ADD_LABELS)


def labels(connection: duckdb.DuckDBPyConnection, schema: str) -> list[tuple[str, str, str]]:
    """Document, pointer and JSON text of each label, a document's in the order in which they were given."""
    return connection.execute(_LABELS, {"schema": schema}).fetchall()


def add(connection: duckdb.DuckDBPyConnection, measured: Measured) -> None:
    """Record an evaluation and the labels that it used; call within a transaction."""
    add_labels(connection, measured.labels)
    for table, rows in (
        ("evaluation_orders", [measured.order]),
        ("evaluation_runs", measured.runs),
        ("evaluations", measured.rates),
        ("evaluation_inputs", measured.inputs),
    ):
        _with_staged(connection, table, rows, f"INSERT INTO {table} BY NAME SELECT * FROM staged_{table}")


def resolve(connection: duckdb.DuckDBPyConnection, given: str) -> str:
    """The evaluation_id that starts with `given`. Raises UsageError where none or several do."""
    rows = connection.execute(
        "SELECT evaluation_id FROM evaluation_orders WHERE starts_with(evaluation_id, ?) LIMIT 2", [given]
    ).fetchall()
    if len(rows) != 1:
        told = "no evaluation starts" if not rows else "more than one evaluation starts"
        raise UsageError(f'{told} with {given!r}: see `assay sql "FROM evaluation_orders"`')
    return str(rows[0][0])


def _with_staged(
    connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Mapping[str, Any]], sql: str
) -> None:
    if not rows:
        return
    import pyarrow as pa  # looking commands do without it

    connection.register(f"staged_{table}", pa.Table.from_pylist([_clean(row) for row in rows]))
    try:
        connection.execute(sql)
    finally:
        connection.unregister(f"staged_{table}")


def _clean(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _storable(value) for name, value in row.items()}


def _storable(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_storable(item) for item in value]
    return storable(value) if isinstance(value, str) else value

"""Rows like those of a real run, made by the thousand: the tables of one shard, as Arrow."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa

from warehouse.tables import TABLES

MOMENT = datetime(2026, 1, 1, tzinfo=UTC).replace(tzinfo=None)
FIELDS = ("/company", "/date", "/address", "/total")
# Category (None for an accepted one), level, status, share of the documents.
OUTCOMES = (
    (None, None, "accepted", 0.80),
    ("ungrounded", "grounding", "flagged", 0.10),
    ("inconsistent", "consistency", "flagged", 0.05),
    ("truncated", "decode", "rejected", 0.03),
    ("unreadable", "read", "failed", 0.02),
)
TEXT = "ACME STORES 12 HIGH STREET 2018-03-05 COFFEE 4.50 TEA 3.20 SUBTOTAL 7.70 TAX 0.46 TOTAL 8.16 "


def shard_tables(
    random: np.random.Generator, run_id: str, recipe_id: str, start: int, size: int, attempts: int
) -> dict[str, pa.Table]:
    """The staged tables of `size` documents, numbered from `start`, each with so many `attempts`."""
    ids = [hashlib.sha256(b"%d" % number).hexdigest() for number in range(start, start + size)]
    outcomes = random.choice(len(OUTCOMES), size, p=[share for *_, share in OUTCOMES])
    made = {
        "documents": _documents(ids),
        "sightings": _sightings(ids),
        "attempts": _attempts(random, run_id, ids, attempts),
        "extractions": _extractions(random, run_id, recipe_id, ids, outcomes, attempts),
        "fields": _fields(random, run_id, ids),
        "findings": _findings(run_id, ids, outcomes),
    }
    return {name: _table(name, made[name], run_id) for name in TABLES}


def _table(name: str, columns: dict[str, Any], run_id: str) -> pa.Table:
    """Scalars become columns; names that are missing become nulls."""
    size = max(len(column) for column in columns.values() if isinstance(column, (list, np.ndarray)))
    arrays = [_array(columns.get(field.name), field.type, size) for field in TABLES[name]]
    return pa.Table.from_arrays(arrays, schema=TABLES[name].with_metadata({"run_id": run_id}))


def _array(column: Any, kind: pa.DataType, size: int) -> pa.Array:
    if isinstance(column, (list, np.ndarray)):
        return pa.array(column, kind)
    return pa.array([column] * size, kind)


def _uris(ids: list[str]) -> list[str]:
    return [f"s3://bucket/in/{one[:2]}/{one}.txt" for one in ids]


def _documents(ids: list[str]) -> dict[str, Any]:
    return {
        "document_id": ids,
        "uri": _uris(ids),
        "media_type": "text/plain",
        "bytes": 800,
        "text": [f"{one} {TEXT * 8}" for one in ids],
        "page_starts": [[0]] * len(ids),
        "reader": "text@1",
        "first_seen_at": MOMENT,
    }


def _sightings(ids: list[str]) -> dict[str, Any]:
    return {"uri": _uris(ids), "size": 800, "modified": MOMENT, "document_id": ids, "seen_at": MOMENT}


def _attempts(random: np.random.Generator, run_id: str, ids: list[str], attempts: int) -> dict[str, Any]:
    size = len(ids) * attempts
    queued, first, rest = (random.exponential(mean, size) for mean in (0.2, 0.1, 2.0))
    numbers = np.tile(np.arange(1, attempts + 1), len(ids))
    return {
        "attempt_id": [f"{one}-{number}" for one in ids for number in range(1, attempts + 1)],
        "run_id": run_id,
        "document_id": [one for one in ids for _ in range(attempts)],
        "chosen": numbers == attempts,
        "number": numbers,
        "sample": 0,
        "seed": 7,
        "ending": "stop",
        "text": _texts(random, size),
        "prompt_tokens": random.integers(300, 900, size),
        "output_tokens": random.integers(40, 120, size),
        "cached_tokens": 256,
        "queued_s": queued,
        "first_token_s": queued + first,
        "total_s": queued + first + rest,
        "mean_logprob": -random.exponential(0.1, size),
        "started_at": MOMENT,
        "tokens": [[]] * size,
    }


def _texts(random: np.random.Generator, size: int) -> list[str]:
    """Answers, one in two hundred of them cut."""
    answers = [_answer(cents) for cents in random.integers(100, 99_999, size)]
    return [
        text[:40] if cut else text for text, cut in zip(answers, random.random(size) < 0.005, strict=True)
    ]


def _answer(cents: int) -> str:
    total = f"{cents // 100}.{cents % 100:02}"
    return f'{{"reasoning":"shop","company":"ACME","date":"2018-03-05","address":null,"total":"{total}"}}'


def _extractions(
    random: np.random.Generator, run_id: str, recipe_id: str, ids: list[str], outcomes: Any, attempts: int
) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "document_id": ids,
        "recipe_id": recipe_id,
        "schema": "receipt@1",
        "status": [OUTCOMES[outcome][2] for outcome in outcomes],
        "level": [OUTCOMES[outcome][1] for outcome in outcomes],
        "category": [OUTCOMES[outcome][0] for outcome in outcomes],
        "value": [_answer(cents) for cents in random.integers(100, 99_999, len(ids))],
        "attempt_id": [f"{one}-{attempts}" for one in ids],
        "attempts": attempts,
        "finished_at": MOMENT,
    }


def _fields(random: np.random.Generator, run_id: str, ids: list[str]) -> dict[str, Any]:
    size = len(ids) * len(FIELDS)
    nulls = random.random(size) < 0.1
    return {
        "run_id": run_id,
        "document_id": [one for one in ids for _ in FIELDS],
        "schema": "receipt@1",
        "pointer": list(FIELDS) * len(ids),
        "field": list(FIELDS) * len(ids),
        "value": [None if null else '"8.16"' for null in nulls],
        "is_null": nulls,
        "has_candidates": nulls & (random.random(size) < 0.3),
        "grounding": ["null" if null else "verbatim" for null in nulls],
        "removed_mass": random.random(size) * 0.4,
    }


def _findings(run_id: str, ids: list[str], outcomes: Any) -> dict[str, Any]:
    found = [(one, OUTCOMES[outcome]) for one, outcome in zip(ids, outcomes, strict=True) if outcome]
    return {
        "run_id": run_id,
        "document_id": [one for one, _ in found],
        "schema": "receipt@1",
        "level": [outcome[1] for _, outcome in found],
        "rule": "synthetic",
        "pointer": "/total",
        "field": "/total",
        "severity": "error",
        "category": [outcome[0] for _, outcome in found],
        "message": "made for a measurement",
    }

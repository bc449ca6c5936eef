"""The Arrow schema of each table that a shard holds, in the column order of the database.

Timestamps are UTC without a zone, decimals and answers stand as JSON text.
"""

from __future__ import annotations

import pyarrow as pa

_TEXT, _COUNT, _REAL, _TIME = pa.string(), pa.int64(), pa.float64(), pa.timestamp("us")
_SPAN = [("span_start", _COUNT), ("span_end", _COUNT)]
_TOKEN = pa.struct(
    [("id", pa.int32()), ("text", _TEXT), ("logprob", pa.float32()), ("raw_logprob", pa.float32())]
)


def _schema(columns: list[tuple[str, pa.DataType]], nullable: str) -> pa.Schema:
    """A schema in which only the columns named in `nullable` may be null."""
    may = set(nullable.split())
    return pa.schema([pa.field(name, kind, name in may) for name, kind in columns])


DOCUMENTS = _schema(
    [
        ("document_id", _TEXT),
        ("parent_id", _TEXT),
        ("uri", _TEXT),
        ("media_type", _TEXT),
        ("bytes", _COUNT),
        ("text", _TEXT),
        ("page_starts", pa.list_(pa.int32())),
        ("reader", _TEXT),
        ("category", _TEXT),
        ("message", _TEXT),
        ("first_seen_at", _TIME),
    ],
    nullable="parent_id category message",
)
SIGHTINGS = _schema(
    [("uri", _TEXT), ("size", _COUNT), ("modified", _TIME), ("document_id", _TEXT), ("seen_at", _TIME)],
    nullable="modified",
)
ATTEMPTS = _schema(
    [
        ("attempt_id", _TEXT),
        ("run_id", _TEXT),
        ("document_id", _TEXT),
        ("chosen", pa.bool_()),
        ("number", pa.int32()),
        ("sample", pa.int32()),
        ("seed", _COUNT),
        ("ending", _TEXT),
        ("text", _TEXT),
        ("prompt_tokens", pa.int32()),
        ("output_tokens", pa.int32()),
        ("cached_tokens", pa.int32()),
        ("queued_s", _REAL),
        ("first_token_s", _REAL),
        ("total_s", _REAL),
        ("mean_logprob", _REAL),
        ("started_at", _TIME),
        ("error", _TEXT),
        ("tokens", pa.list_(_TOKEN)),
        ("mean_removed_mass", _REAL),
        ("max_removed_mass", _REAL),
        ("log_allowed_mass", _REAL),
        ("forced_share", _REAL),
        ("canonical", pa.bool_()),
    ],
    nullable="mean_logprob error mean_removed_mass max_removed_mass log_allowed_mass forced_share canonical",
)
EXTRACTIONS = _schema(
    [
        ("run_id", _TEXT),
        ("document_id", _TEXT),
        ("recipe_id", _TEXT),
        ("schema", _TEXT),
        ("status", _TEXT),
        ("level", _TEXT),
        ("category", _TEXT),
        ("message", _TEXT),
        ("value", _TEXT),
        ("attempt_id", _TEXT),
        ("attempts", pa.int32()),
        ("finished_at", _TIME),
        ("effective_samples", _REAL),
    ],
    nullable="level category message value attempt_id effective_samples",
)
FIELDS = _schema(
    [
        ("run_id", _TEXT),
        ("document_id", _TEXT),
        ("schema", _TEXT),
        ("pointer", _TEXT),
        ("field", _TEXT),
        ("value", _TEXT),
        ("is_null", pa.bool_()),
        ("has_candidates", pa.bool_()),
        ("grounding", _TEXT),
        ("score", _REAL),
        *_SPAN,
        ("logprob", _REAL),
        ("min_logprob", _REAL),
        ("removed_mass", _REAL),
        ("agreement", _REAL),
    ],
    nullable="value score span_start span_end logprob min_logprob removed_mass agreement",
)
FINDINGS = _schema(
    [
        ("run_id", _TEXT),
        ("document_id", _TEXT),
        ("schema", _TEXT),
        ("level", _TEXT),
        ("rule", _TEXT),
        ("pointer", _TEXT),
        ("field", _TEXT),
        ("severity", _TEXT),
        ("category", _TEXT),
        ("message", _TEXT),
        ("expected", _TEXT),
        ("found", _TEXT),
        *_SPAN,
    ],
    nullable="category expected found span_start span_end",
)

TABLES: dict[str, pa.Schema] = {
    "documents": DOCUMENTS,
    "sightings": SIGHTINGS,
    "attempts": ATTEMPTS,
    "extractions": EXTRACTIONS,
    "fields": FIELDS,
    "findings": FINDINGS,
}

"""Records to the rows of a shard's tables: plain dicts, one for each row, with the names of its columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from schemas.records import (
    Attempt,
    Blob,
    Document,
    Extraction,
    FieldResult,
    Finding,
    Level,
    Severity,
    Span,
    Status,
    Token,
)

Row: TypeAlias = dict[str, Any]

_INDEX = re.compile(r"/(?:0|[1-9][0-9]*)(?=/|$)")
# A reader may hand on half a surrogate pair from a broken file; no database can hold one.
_HALF_PAIR = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Sighting:
    """What a listing said of a blob, and all documents that were found in it, attachments too."""

    blob: Blob
    document_ids: tuple[str, ...]


def utc(moment: datetime | None) -> datetime | None:
    """The same moment as the database keeps it: UTC, without a zone. One without a zone is taken as UTC."""
    if moment is None or moment.tzinfo is None:
        return moment
    return moment.astimezone(UTC).replace(tzinfo=None)


def now() -> datetime:
    """This moment, as the database keeps it."""
    return datetime.now(UTC).replace(tzinfo=None)


def storable(text: str) -> str:
    """`text` with each lone surrogate as U+FFFD, so that offsets stay what they were."""
    return _HALF_PAIR.sub("\ufffd", text)


def field_of(pointer: str) -> str:
    """The field that a pointer is one place of: `/lines/3/amount` is a place of `/lines/*/amount`."""
    return _INDEX.sub("/*", pointer)


def shard_rows(
    run_id: str,
    documents: Iterable[Document],
    extractions: Iterable[Extraction],
    sightings: Iterable[Sighting],
) -> Mapping[str, list[Row]]:
    """The rows of each table: one for a document, one extraction of it (the first of several), the last
    sighting of a URI. The columns are those of `warehouse.tables`.
    """
    first: dict[str, Extraction] = {}
    for extraction in extractions:
        first.setdefault(extraction.document_id, extraction)
    return _rows(
        run_id,
        {document.document_id: document for document in documents}.values(),
        first.values(),
        {sighting.blob.uri: sighting for sighting in sightings}.values(),
    )


def _rows(
    run_id: str,
    documents: Iterable[Document],
    first: Iterable[Extraction],
    sightings: Iterable[Sighting],
) -> Mapping[str, list[Row]]:
    return {
        "documents": [_document(document) for document in documents],
        "sightings": [row for sighting in sightings for row in _sighting(sighting)],
        "attempts": [_attempt(run_id, one, attempt) for one in first for attempt in one.attempts],
        "extractions": [_extraction(run_id, one) for one in first],
        "fields": [row for one in first for row in _fields(run_id, one)],
        "findings": [_finding(run_id, one, finding) for one in first for finding in one.findings],
    }


def _document(document: Document) -> Row:
    return {
        "document_id": document.document_id,
        "parent_id": document.parent_id,
        "uri": storable(document.uri),
        "media_type": document.media_type,
        "bytes": document.size,
        "text": storable(document.text),
        "page_starts": list(document.page_starts),
        "reader": document.reader,
        "category": document.category,
        "message": _maybe(document.message),
        "first_seen_at": utc(document.first_seen_at),
    }


def _sighting(sighting: Sighting) -> Iterator[Row]:
    blob, seen_at = sighting.blob, now()
    for document_id in dict.fromkeys(sighting.document_ids):
        yield {
            "uri": storable(blob.uri),
            "size": blob.size,
            "modified": utc(blob.modified),
            "document_id": document_id,
            "seen_at": seen_at,
        }


def _attempt(run_id: str, extraction: Extraction, attempt: Attempt) -> Row:
    row = {name: getattr(attempt, name) for name in _SAME_IN_ATTEMPT}
    return row | {
        "run_id": run_id,
        "chosen": attempt.attempt_id == extraction.attempt_id and extraction.status != Status.FAILED,
        "text": storable(attempt.text),
        "mean_logprob": attempt.mean_logprob,
        **{name: getattr(attempt.mask, name) for name in _MASK},
        "started_at": utc(attempt.started_at),
        "error": _maybe(attempt.error),
        "tokens": [_token(token) for token in attempt.tokens],
    }


_SAME_IN_ATTEMPT = (
    *("attempt_id", "document_id", "number", "sample", "seed", "ending"),
    *("prompt_tokens", "output_tokens", "cached_tokens", "queued_s", "first_token_s", "total_s"),
)
_MASK = ("mean_removed_mass", "max_removed_mass", "log_allowed_mass", "forced_share", "canonical")


def _token(token: Token) -> Row:
    return {
        "id": token.id,
        "text": storable(token.text),
        "logprob": token.logprob,
        "raw_logprob": token.raw_logprob,
    }


def _extraction(run_id: str, extraction: Extraction) -> Row:
    return {
        "run_id": run_id,
        "document_id": extraction.document_id,
        "recipe_id": extraction.recipe_id,
        "schema": extraction.schema,
        "status": extraction.status,
        "level": extraction.level,
        "category": extraction.category,
        "message": _maybe(extraction.message),
        "value": _maybe(extraction.value),
        "attempt_id": extraction.attempt_id,
        "attempts": len(extraction.attempts),
        "finished_at": utc(extraction.finished_at),
        "effective_samples": extraction.effective_samples,
    }


def _place(run_id: str, extraction: Extraction, pointer: str, span: Span | None) -> Row:
    """The columns that say where in which answer, and where in its source."""
    return {
        "run_id": run_id,
        "document_id": extraction.document_id,
        "schema": extraction.schema,
        "pointer": storable(pointer),
        "field": field_of(storable(pointer)),
        "span_start": span.start if span else None,
        "span_end": span.end if span else None,
    }


def _fields(run_id: str, extraction: Extraction) -> Iterator[Row]:
    hinted = {
        finding.pointer
        for finding in extraction.findings
        if finding.level == Level.GROUNDING and finding.severity == Severity.INFO
    }
    for result in extraction.fields:
        hint = result.value is None and result.pointer in hinted
        yield _field(run_id, extraction, result) | {"has_candidates": hint}


def _field(run_id: str, extraction: Extraction, result: FieldResult) -> Row:
    return _place(run_id, extraction, result.pointer, result.span) | {
        "value": _maybe(result.value),
        "is_null": result.value is None,
        "grounding": result.match,
        "score": result.score,
        "logprob": result.logprob,
        "min_logprob": result.min_logprob,
        "removed_mass": result.removed_mass,
        "agreement": result.agreement,
    }


def _finding(run_id: str, extraction: Extraction, finding: Finding) -> Row:
    return _place(run_id, extraction, finding.pointer, finding.span) | {
        "level": finding.level,
        "rule": finding.rule,
        "severity": finding.severity,
        "category": finding.category,
        "message": storable(finding.message),
        "expected": _maybe(finding.expected),
        "found": _maybe(finding.found),
    }


def _maybe(text: str | None) -> str | None:
    return None if text is None else storable(text)

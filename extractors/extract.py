"""The life of one document: read, fit, attempts, retries, selection; it always ends as one extraction."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime

from extractors.attempts import Validate, Work, attempts, validated
from extractors.decode import verdict
from extractors.engines.base import Engine
from extractors.prompts import Prompt
from extractors.selection import Judged, best, vote, with_agreement
from schemas.decoding import Decoding
from schemas.records import Category, Document, Extraction, Severity, Status, Verdict
from schemas.registry import SchemaVersion


async def extract_document(
    document: Document,
    *,
    engine: Engine,
    prompt: Prompt,
    schema: SchemaVersion,
    decoding: Decoding,
    recipe_id: str,
    run_id: str,
    validate: Validate,
) -> Extraction:
    """The one extraction of `document`, with every attempt made for it. Never raises for a document.

    A document without text is `rejected` at level read, one that leaves no room for the answer at fit. What
    the engine could not do (error, timeout, abort) is `failed` and will be taken up again.
    """
    work = Work(document, engine, prompt, decoding, validate)
    judged, outcome, attempt_id = await _outcome(work)
    value = None if outcome.value is None else _text_of(outcome.value)
    return Extraction(
        run_id=run_id,
        document_id=document.document_id,
        recipe_id=recipe_id,
        schema=schema.ref,
        status=outcome.status,
        level=outcome.level,
        category=outcome.category,
        message=_message(outcome),
        value=value,
        attempt_id=attempt_id,
        finished_at=datetime.now(UTC),
        attempts=tuple(one.attempt for one in judged),
        findings=outcome.findings,
        fields=outcome.fields,
    )


async def _outcome(work: Work) -> tuple[list[Judged], Verdict, str | None]:
    """Every attempt, the verdict that stands, and the attempt that it stands for."""
    document = work.document
    if document.category is not None:
        message = document.message or f"no text could be read: {document.category}"
        return [], verdict(Status.REJECTED, document.category, message), None
    try:
        prompt_ids = await asyncio.to_thread(work.prompt.encode, document.text)
    except ValueError as error:
        return [], verdict(Status.REJECTED, Category.UNREADABLE, str(error)), None
    room = work.prompt.room(len(prompt_ids), work.engine.max_model_len, work.decoding.max_tokens)
    if not room.fits:
        length, limit = len(prompt_ids) + room.needed, work.engine.max_model_len
        message = f"{len(prompt_ids)} prompt and {room.needed} answer tokens are {length}, over {limit}"
        return [], verdict(Status.REJECTED, Category.TOO_LONG, message), None
    judged = await attempts(work, prompt_ids, room.max_tokens)
    chosen, outcome = await _select(work, judged)
    return judged, outcome, chosen.attempt.attempt_id


async def _select(work: Work, judged: list[Judged]) -> tuple[Judged, Verdict]:
    """The attempt that stands, and the verdict: for a vote, that of the answer which the fields elected."""
    elected = vote(judged) if work.decoding.selection == "vote" else None
    if elected is None:
        chosen = best(judged)
        return chosen, chosen.verdict
    found = await validated(work, elected.text)
    return elected.nearest, replace(found, fields=with_agreement(found.fields, elected.agreement))


def _message(outcome: Verdict) -> str | None:
    """The first error's message, for people; None where all levels hold."""
    errors = (one for one in outcome.findings if one.severity is Severity.ERROR)
    return next((one.message for one in errors), None)


def _text_of(value: object) -> str:
    """The answer as JSON text; decimals and dates as text, so that no money becomes a float."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)

"""The life of one document: read, fit, attempts, retries, selection; it always ends as one extraction."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime

from extractors.attempts import Validate, Work, attempts
from extractors.choose import Chosen, answered
from extractors.decode import verdict
from extractors.engines.base import Engine
from extractors.prompts import Prompt
from extractors.scoring import Scorer
from extractors.selection import Judged
from schemas.decoding import Decoding
from schemas.records import Category, Document, Extraction, Severity, Status, Verdict
from schemas.registry import SchemaVersion

UNSCORED = Scorer()


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
    scorer: Scorer = UNSCORED,
) -> Extraction:
    """The one extraction of `document`, with every attempt made for it. Never raises for a document.

    A document without text is `rejected` at level read, one that leaves no room for the answer at fit. What
    the engine could not do (error, timeout, abort) is `failed` and will be taken up again.
    """
    work = Work(document, engine, prompt, decoding, validate, scorer)
    judged, chosen = await _outcome(work)
    outcome = chosen.verdict
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
        attempt_id=chosen.attempt_id,
        finished_at=datetime.now(UTC),
        attempts=tuple(one.attempt for one in judged),
        findings=outcome.findings,
        fields=outcome.fields,
        effective_samples=chosen.effective_samples,
    )


async def _outcome(work: Work) -> tuple[list[Judged], Chosen]:
    """Every attempt, scored where it is due, and what was chosen."""
    document = work.document
    if document.category is not None:
        message = document.message or f"no text could be read: {document.category}"
        return [], _rejected(document.category, message)
    try:
        prompt_ids = await asyncio.to_thread(work.prompt.encode, document.text)
    except ValueError as error:
        return [], _rejected(Category.UNREADABLE, str(error))
    room = work.prompt.room(len(prompt_ids), work.engine.max_model_len, work.decoding.max_tokens)
    if not room.fits:
        length, limit = len(prompt_ids) + room.needed, work.engine.max_model_len
        message = f"{len(prompt_ids)} prompt and {room.needed} answer tokens are {length}, over {limit}"
        return [], _rejected(Category.TOO_LONG, message)
    return await answered(work, await attempts(work, prompt_ids, room.max_tokens))


def _rejected(category: Category, message: str) -> Chosen:
    return Chosen(verdict(Status.REJECTED, category, message))


def _message(outcome: Verdict) -> str | None:
    """The first error's message, for people; None where all levels hold."""
    errors = (one for one in outcome.findings if one.severity is Severity.ERROR)
    return next((one.message for one in errors), None)


def _text_of(value: object) -> str:
    """The answer as JSON text; decimals and dates as text, so that no money becomes a float."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)

"""The attempts for one document: asking, checking each answer, and asking again as the decoding says."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import uuid_utils

from extractors.decode import complaint, decode_verdict, recognised, verdict
from extractors.engines.base import Engine
from extractors.engines.translate import failed_attempt
from extractors.prompts import Prompt
from extractors.scoring import Scorer
from extractors.selection import Judged
from schemas.decoding import Decoding
from schemas.errors import EngineError, EngineTimeout, EngineUnavailable
from schemas.records import Attempt, Category, Document, Ending, Request, Status, Verdict

Validate: TypeAlias = Callable[[str, Document], Verdict]

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Work:
    """All that stays the same while one document is worked on."""

    document: Document
    engine: Engine
    prompt: Prompt
    decoding: Decoding
    validate: Validate
    scorer: Scorer


async def attempts(work: Work, prompt_ids: tuple[int, ...], max_tokens: int) -> list[Judged]:
    """Attempts until one is accepted, the decoding's number is reached, or the engine is down."""
    judged: list[Judged] = []
    for number in range(1, _tries(work.decoding) + 1):
        request = _request(work, number, prompt_ids, max_tokens, judged)
        if request is None:
            break
        latest, down = await _generate(work, request, number)
        judged += latest
        if down or any(one.verdict.status is Status.ACCEPTED for one in latest):
            break
    return judged


def _tries(decoding: Decoding) -> int:
    """How often the engine is asked at most; `verified` asks once for each sample."""
    return decoding.samples if decoding.selection == "verified" else decoding.max_attempts


def _request(
    work: Work, number: int, prompt_ids: tuple[int, ...], max_tokens: int, judged: list[Judged]
) -> Request | None:
    """The next request, with feedback on the last answer where asked for. None if that does not fit."""
    decoding, document = work.decoding, work.document
    last = judged[-1] if judged else None
    if decoding.retries == "feedback" and last is not None and last.attempt.text:
        said = complaint(last.verdict)
        prompt_ids = work.prompt.encode_feedback(document.text, last.attempt.text, said)
        room = work.prompt.room(len(prompt_ids), work.engine.max_model_len, decoding.max_tokens)
        if not room.fits:
            return None
        max_tokens = room.max_tokens
    return Request(
        request_id=str(uuid_utils.uuid7()),
        prompt_ids=prompt_ids,
        json_schema=work.prompt.json_schema if decoding.mode == "guided" else None,
        max_tokens=max_tokens,
        seed=seed_for(decoding.seed, document.document_id, number),
        longest_list=work.prompt.longest_list,
    )


def seed_for(seed: int, document_id: str, number: int) -> int:
    """The seed of a document's attempt: the same in every run, another for each document and number.

    40 bits, the low 8 of them zero: samples of one request count up from it and never meet another's.
    """
    digest = hashlib.sha256(f"{seed}:{document_id}:{number}".encode()).digest()
    return int.from_bytes(digest[:4], "big") << 8


async def _generate(work: Work, request: Request, number: int) -> tuple[list[Judged], bool]:
    """Ask the engine and check each answer; also whether the engine as a whole is down."""
    clock = time.monotonic()
    try:
        decoding = work.decoding.attempt(number)
        answers = await work.engine.generate(request, decoding, work.document.document_id)
    except EngineError as error:
        answers = [_unanswered(work, request, error, clock)]
        down = isinstance(error, EngineUnavailable)
    except Exception as error:  # noqa: BLE001 - an engine's bug costs this document an attempt, no more
        _LOG.exception("the engine raised for document %s", work.document.document_id)
        answers, down = [_unanswered(work, request, error, clock)], False
    else:
        down = False
    numbered = [replace(answer, number=number) for answer in _numbered(work, answers, number)]
    return [await _judge(work, answer, request.prompt_ids) for answer in numbered], down


def _numbered(work: Work, answers: list[Attempt], number: int) -> list[Attempt]:
    """Under `verified` each try is a sample of its own."""
    if work.decoding.selection != "verified":
        return answers
    return [replace(answer, sample=number - 1) for answer in answers]


async def _judge(work: Work, attempt: Attempt, prompt_ids: tuple[int, ...]) -> Judged:
    attempt = recognised(attempt, work.decoding)
    found = decode_verdict(attempt) or await validated(work, attempt.text)
    return Judged(attempt, found, prompt_ids)


async def validated(work: Work, text: str) -> Verdict:
    """The validator's verdict, found in a thread: a long document must not hold up the others' answers.

    If it crashes that is our own fault, and must cost this document only.
    """
    try:
        return await asyncio.to_thread(work.validate, text, work.document)
    except Exception as error:  # noqa: BLE001 - and a validator's bug this document its answer
        _LOG.exception("validation crashed for document %s", work.document.document_id)
        message = f"validation crashed: {type(error).__name__}: {error}"
        return verdict(Status.FAILED, Category.ENGINE_ERROR, message)


def _unanswered(work: Work, request: Request, error: Exception, clock: float) -> Attempt:
    """An attempt for a call that raised: it was made, so it has its row."""
    timed_out = isinstance(error, EngineTimeout | TimeoutError)
    ending = Ending.TIMEOUT if timed_out else Ending.ERROR
    reason = f"{type(error).__name__}: {error}"
    return failed_attempt(request, work.document.document_id, 0, ending, reason, clock)

"""Which of a document's attempts stands, and what is measured of them all."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace

from extractors.aligned import aligned
from extractors.attempts import Work, seed_for, validated
from extractors.decode import verdict
from extractors.field_scores import with_scores
from extractors.scoring import measure, score
from extractors.selection import Judged, best, vote, with_agreement
from schemas.records import Category, Status, Verdict

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The verdict that stands, the attempt that it stands for, and how much the samples of a draw told."""

    verdict: Verdict
    attempt_id: str | None = None
    effective_samples: float | None = None


async def answered(work: Work, judged: list[Judged]) -> tuple[list[Judged], Chosen]:
    """Choose among the attempts, and measure them. An aligned selection needs them scored beforehand."""
    if work.decoding.selection == "aligned":
        judged = await _scored(work, judged)
    chosen = await _select(work, judged)
    if work.scorer.is_due(work.document.document_id, chosen.verdict.status):
        judged = await _scored(work, judged)
    try:
        return await asyncio.to_thread(_measured, work, judged, chosen)
    except Exception:  # noqa: BLE001 - a measurement's bug must not cost the document its answer
        _LOG.exception("document %s was not measured", work.document.document_id)
        return judged, chosen


async def _scored(work: Work, judged: list[Judged]) -> list[Judged]:
    return list(await asyncio.gather(*(score(work.engine, one, work.decoding) for one in judged)))


def _measured(work: Work, judged: list[Judged], chosen: Chosen) -> tuple[list[Judged], Chosen]:
    """What needs no engine: forced tokens of each attempt, and the chosen one's tokens field by field."""
    tokenizer, schema, legal = work.engine.tokenizer, work.prompt.json_schema, work.scorer.legal
    measured = [
        replace(one, attempt=measure(one.attempt, tokenizer, work.decoding, schema, legal)) for one in judged
    ]
    for one in measured:
        if one.attempt.attempt_id == chosen.attempt_id:
            fields = with_scores(chosen.verdict.fields, one.attempt, tokenizer)
            chosen = replace(chosen, verdict=replace(chosen.verdict, fields=fields))
    return measured, chosen


async def _select(work: Work, judged: list[Judged]) -> Chosen:
    """The attempt that stands, and the verdict: for a vote, that of the answer which the fields elected."""
    if work.decoding.selection == "vote" and (elected := vote(judged)):
        found = await validated(work, elected.text)
        fields = with_agreement(found.fields, elected.agreement)
        return Chosen(replace(found, fields=fields), elected.nearest.attempt.attempt_id)
    if work.decoding.selection == "aligned" and any(one.usable for one in judged):
        return _drawn(work, judged)
    return _standing(best(judged))


def _drawn(work: Work, judged: list[Judged]) -> Chosen:
    """One sample by weight. Without any weight there is no draw, and the document is for the next run."""
    seed = seed_for(work.decoding.seed, work.document.document_id, 1)
    found = aligned(judged, seed)
    if found is None:
        message = "the engine could not score the samples, so none could be drawn by its weight"
        failed = verdict(Status.FAILED, Category.ENGINE_ERROR, message)
        return Chosen(failed, best(judged).attempt.attempt_id)
    return replace(_standing(found[0]), effective_samples=found[1])


def _standing(one: Judged) -> Chosen:
    return Chosen(one.verdict, one.attempt.attempt_id)

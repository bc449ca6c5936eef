"""The runs of an evaluation: one for each decoding, sample and repeat, through the usual pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console

from flows.evaluation.asked import SEEDS_APART, Asked
from flows.evaluation.engines import shared
from flows.order import DocumentsFailed, Order, Summary
from flows.output import note
from flows.pipeline import EngineFactory
from flows.plan import planned
from flows.run import carry_out
from flows.settings import Settings, own_decodings
from schemas.decoding import Decoding
from schemas.decoding import resolve as resolve_decoding
from schemas.records import Blob

KIND = "evaluate"


@dataclass(frozen=True, slots=True)
class Drawn:
    """One run of an evaluation: which decoding, which draw of it, and which time."""

    decoding: str
    sample: int
    repeat: int
    run_id: str


def draw(
    asked: Asked,
    blobs: tuple[Blob, ...],
    settings: Settings,
    start_engine: EngineFactory,
    console: Console | None = None,
) -> list[Drawn]:
    """Extract all blobs under each decoding as often as asked, with one engine for all runs.

    Raises SettingError for an unknown decoding before anything is done, DocumentsFailed where a run was
    stopped or got no answer at all. What was landed by then stays.
    """
    resolved = {name: resolve_decoding(name, own_decodings(settings)) for name in asked.decodings}
    with shared(start_engine) as engines:
        return [
            _one(asked, place, resolved[place.decoding], blobs, settings, engines, console)
            for place in _places(asked)
        ]


def _places(asked: Asked) -> Iterator[Drawn]:
    """All runs in order: repeats outermost, so that the same again is not done right after itself."""
    for repeat in range(asked.repeats):
        for decoding in asked.decodings:
            for sample in range(asked.samples):
                yield Drawn(decoding, sample, repeat, "")


def _one(
    asked: Asked,
    place: Drawn,
    decoding: Decoding,
    blobs: tuple[Blob, ...],
    settings: Settings,
    engines: EngineFactory,
    console: Console | None,
) -> Drawn:
    seeded = decoding.model_copy(update={"seed": seed_of(decoding, asked.seed, place.sample)})
    described = {**settings.decodings, seeded.name: seeded.model_dump(exclude={"name"})}
    order = Order(
        asked.labels or "labels of the warehouse",
        asked.schema or "",
        decoding=seeded.name,
        kind=KIND,
        again=True,
        blobs=blobs,
    )
    with planned(order, settings.model_copy(update={"decodings": described})) as plan:
        note(f"{place.decoding}, sample {place.sample + 1} of {asked.samples}{_time(place, asked)}")
        summary = carry_out(plan, start_engine=engines, console=console)
    return Drawn(place.decoding, place.sample, place.repeat, _run_id(summary))


def _time(place: Drawn, asked: Asked) -> str:
    return f", time {place.repeat + 1} of {asked.repeats}" if asked.repeats > 1 else ""


def seed_of(decoding: Decoding, seed: int, sample: int) -> int:
    """The seed of a draw: the first of seed 0 is the decoding as it stands, under its usual recipe."""
    return (decoding.seed + seed * SEEDS_APART + sample) % 2**63


def _run_id(summary: Summary) -> str:
    """The run's id. Raises DocumentsFailed for one that cannot be measured."""
    unanswered = summary.engine_failures >= summary.documents
    if summary.run_id is None or summary.status == "interrupted" or unanswered:
        raise DocumentsFailed(summary)
    return summary.run_id

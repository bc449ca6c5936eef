"""The runs of an evaluation: one for each decoding, sample and repeat, through the usual pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rich.console import Console

from flows.evaluation.asked import SEEDS_APART, Asked
from flows.evaluation.engines import shared
from flows.lock import exclusive
from flows.order import DocumentsFailed, Order, Summary
from flows.output import note
from flows.pipeline import EngineFactory
from flows.plan import Plan, chosen, plan, recover
from flows.run import carry_out
from flows.settings import Settings
from schemas.decoding import Decoding
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
    orders = {name: _order(asked, name, blobs) for name in asked.decodings}
    for order in orders.values():
        chosen(order, settings)  # an unknown name is told before the first run, not after it
    with exclusive(settings.home, settings.wait), shared(start_engine) as engines:
        recover(settings)
        plans = {name: plan(order, settings) for name, order in orders.items()}
        return [_one(asked, place, plans[place.decoding], engines, console) for place in _places(asked)]


def _order(asked: Asked, decoding: str, blobs: tuple[Blob, ...]) -> Order:
    source, schema = asked.labels or "labels of the warehouse", asked.schema or ""
    return Order(source, schema, decoding=decoding, kind=KIND, again=True, blobs=blobs)


def _places(asked: Asked) -> Iterator[Drawn]:
    """All runs in order: repeats outermost, so that the same again is not done right after itself."""
    for repeat in range(asked.repeats):
        for decoding in asked.decodings:
            for sample in range(asked.samples):
                yield Drawn(decoding, sample, repeat, "")


def _one(asked: Asked, place: Drawn, base: Plan, engines: EngineFactory, console: Console | None) -> Drawn:
    seeded = base.decoding.model_copy(update={"seed": seed_of(base.decoding, asked.seed, place.sample)})
    recipe = base.recipe.model_copy(update={"decoding": seeded})
    note(f"{place.decoding}, sample {place.sample + 1} of {asked.samples}{_time(place, asked)}")
    summary = carry_out(replace(base, decoding=seeded, recipe=recipe), start_engine=engines, console=console)
    return replace(place, run_id=_run_id(summary))


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

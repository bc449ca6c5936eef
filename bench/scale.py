"""What each part of a run on many machines can do, all but the engine: figures for docs/scale.md.

`python bench/scale.py [--documents 2000] [--characters 2000] [--tasks 200]` prints one JSON object. What is
named `_per_cpu_s` are documents for each second of one core, which holds on a busy machine too; the others
are documents for each second on the clock of this one run. The engine answers at once and knows the answers:
what a GPU adds is no part of this. `--tasks 0` leaves out Prefect and Ray, `--documents 0` all else.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from rich.console import Console

# Before this file's own folder, in which it would stand in for the package of its name.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.answering import Answering, write
from bench.scale_tasks import tasks
from extractors.readers.pool import ReaderPool
from flows.bundle import Bundle
from flows.checker import Checker
from flows.model import model_folder
from flows.order import Order
from flows.pipeline import Pipeline
from flows.plan import Plan, plan
from flows.progress import Display, Tally
from flows.runner.shard import Gathering
from flows.settings import Settings, load
from flows.stager import stage
from warehouse.depot import Depot
from warehouse.store import Warehouse

SIZES = (64, 256, 1024)
DEMO = Path(__file__).resolve().parent.parent / "demo" / "documents"


@dataclass(slots=True)
class Spent:
    """Seconds on the clock, and of all cores, children that ended included."""

    wall: float = 0.0
    cpu: float = 0.0


@contextmanager
def spent() -> Iterator[Spent]:
    """What is spent until leaving."""
    found, wall, cpu = Spent(), time.perf_counter(), _cpu()
    yield found
    found.wall, found.cpu = time.perf_counter() - wall, _cpu() - cpu


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def reading(folder: Path) -> float:
    """Documents of a folder that one reader reads for each second of a core."""
    files = [path for path in sorted(folder.iterdir()) if path.is_file()]
    with ReaderPool(workers=1) as pool:
        for path in files[:20]:  # the reader starts, and loads what it needs for each kind
            pool.read(path.read_bytes(), str(path))
        began = _cpu() + _cpu_of_children()
        for path in files:
            pool.read(path.read_bytes(), str(path))
        return len(files) / (_cpu() + _cpu_of_children() - began)


def _cpu_of_children() -> float:
    """Seconds that the processes below this one have used so far."""
    return sum(sum(child.cpu_times()[:2]) for child in psutil.Process().children(recursive=True))


def piped(the_plan: Plan, answers: Mapping[str, str]) -> tuple[list[Bundle], Spent]:
    """All documents through the pipeline up to staging: what comes out, and what it took."""

    async def engine(made: Plan) -> Answering:
        return Answering(made.model, answers, made.settings.max_model_len)

    gathering, display = Gathering(), Display(Tally(0), Console(quiet=True), None)
    with spent() as used:
        asyncio.run(Pipeline(the_plan, RUN, gathering, engine, display).run())
    return gathering.bundles, used


RUN = "01890000-0000-7000-8000-000000000000"


def checking(bundles: list[Bundle], the_plan: Plan) -> float:
    """Documents that are validated and grounded for each second of a core."""
    pairs = [(one.documents[0], one.extractions[0].attempts[0].text) for one in bundles]
    with spent() as used:
        for document, text in pairs:
            Checker(the_plan.schema.cls)(text, document)
    return len(pairs) / used.cpu


def staging(bundles: list[Bundle], folder: Path, size: int) -> dict[str, float]:
    """Bytes that a document takes in a shard of `size`, and how many are staged for each second of a core."""
    warehouse = Warehouse(folder)
    with spent() as used:
        path = stage(warehouse, RUN, f"s{size}", bundles[:size])
    taken = sum(file.stat().st_size for file in path.iterdir())
    count = len(bundles[:size])
    return {"bytes_per_document": round(taken / count), "per_cpu_s": round(count / used.cpu)}


def sending(bundles: list[Bundle], the_plan: Plan, folder: Path) -> tuple[dict[str, float], Warehouse]:
    """Shards through a depot in a folder, with their bytes; then the lander's home, where they wait."""
    size, depot, lander = (
        the_plan.settings.shard_size,
        Depot(str(folder / "depot")),
        Warehouse(folder / "lander"),
    )
    _begin(lander, the_plan)
    archive = Warehouse(the_plan.settings.home).archive
    shards = [bundles[start : start + size] for start in range(0, len(bundles), size)]
    with spent() as sent:
        for number, shard in enumerate(shards):
            worker = Warehouse(folder / f"worker-{number}")
            for bundle in shard:
                worker.archive.put(archive.get(bundle.documents[0].document_id))
            depot.send(RUN, stage(worker, RUN, f"{RUN}-{number:06}", shard), worker.archive)
    weight = sum(file.stat().st_size for file in (folder / "depot").rglob("*.tar"))
    with spent() as collected:
        depot.collect([RUN], lander.staging, lander.archive)
    count = len(bundles)
    return {
        "bytes_per_document": round(weight / count),
        "sent_per_cpu_s": round(count / sent.cpu),
        "collected_per_s": round(count / collected.wall),
        "collected_per_cpu_s": round(count / collected.cpu),
    }, lander


def _begin(lander: Warehouse, the_plan: Plan) -> None:
    lander.register_schema(the_plan.schema)
    lander.register_recipe(the_plan.recipe)


def landing(lander: Warehouse, count: int) -> dict[str, float]:
    """Documents landed each second, from staged shards, one transaction a shard."""
    with spent() as used:
        landed = lander.land()
    if landed.extractions != count:
        raise SystemExit(f"{landed.extractions} documents were landed of {count}")
    return {
        "shards": landed.shards,
        "documents_per_s": round(count / used.wall),
        "documents_per_cpu_s": round(count / used.cpu),
    }


def measure(documents: int, characters: int, settings: Settings, folder: Path) -> dict[str, Any]:
    """All figures but Prefect's."""
    answers = write(folder / "in", documents, characters)
    the_plan = plan(Order(str(folder / "in"), "receipt@1", scoring="off"), settings)
    piped(plan(Order(str(folder / "in"), "receipt@1", limit=20, scoring="off"), settings), answers)  # warm
    bundles, used = piped(the_plan, answers)
    statuses = Tally(0)
    for bundle in bundles:
        statuses.add(bundle.extractions[0])
    sent, lander = sending(bundles, the_plan, folder)
    return {
        "documents": documents,
        "characters": characters,
        "statuses": {str(status): count for status, count in statuses.statuses.items()},
        "tokens_per_answer": round(statuses.tokens / documents),
        "reading": {
            "text_per_cpu_s": round(reading(folder / "in")),
            "demo_per_cpu_s": round(reading(DEMO), 1),
        },
        "checking": {"per_cpu_s": round(checking(bundles, the_plan))},
        "pipeline": {"per_s": round(documents / used.wall), "per_cpu_s": round(documents / used.cpu)},
        "staging": {str(size): staging(bundles, folder / "staged", size) for size in SIZES},
        "depot": sent,
        "landing": landing(lander, documents),
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--characters", type=int, default=2000)
    parser.add_argument("--tasks", type=int, default=200)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-scale-") as folder:
        figures: dict[str, Any] = {}
        if asked.documents:
            model = model_folder(load())
            settings = load(home=Path(folder) / "home", model=model, shard_size=256)
            figures |= measure(asked.documents, asked.characters, settings, Path(folder))
        if asked.tasks:
            figures["prefect_on_ray"] = tasks(asked.tasks, Path(folder) / "tasks")
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()

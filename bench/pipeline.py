"""The whole pipeline against bare AsyncLLM: the same engine, prompts, schema and decoding, in one run.

`python bench/pipeline.py DIR [--schema receipt@1] [--limit 60] [--rounds 2]` prints one JSON object. A round
is bare, then pipeline; the engine's prefix cache is emptied before each. The engine is loaded once, before
the clock starts. `ratio` is documents a second through the pipeline (reading, archiving, generating,
checking, landing) over documents a second of AsyncLLM alone; exit 1 where it is under 0.90.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from statistics import median
from typing import Any

# Before this file's own folder, in which a file would stand in for the package of its name.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rich.console import Console

from extractors.engines import sampling
from extractors.engines.embedded import EmbeddedEngine
from extractors.engines.wrapped import WrappedEngine
from extractors.readers.pool import ReaderPool
from extractors.storage import read_all
from flows.model import model_folder
from flows.order import Order
from flows.pipeline import Pipeline
from flows.plan import Plan, plan
from flows.progress import Tally, shown
from flows.settings import Settings, load
from flows.stager import Stager
from schemas.decoding import Decoding
from schemas.records import Document, Request
from warehouse.store import Warehouse

TARGET = 0.90


class Lent(WrappedEngine):
    """The loaded engine, lent to a pipeline, which closes what it is given."""

    async def close(self) -> None:
        """Only the lender closes it."""


def documents_of(the_plan: Plan, settings: Settings) -> list[Document]:
    """The documents that reach the engine, read before any clock starts."""
    with ReaderPool(settings.reader_workers, settings.reader_timeout, settings.reader_memory) as pool:
        found: dict[str, Document] = {}
        for blob, data in read_all(the_plan.todo, settings.max_document_bytes, 16):
            if isinstance(data, bytes):
                read = pool.read(data, blob.uri)
                found.update({one.document.document_id: one.document for one in read})
    return [document for document in found.values() if document.category is None]


def requests_of(the_plan: Plan, documents: Sequence[Document], context: int) -> list[Request]:
    """The requests that the pipeline would send for them."""
    prompt, requests = the_plan.prompt, []
    for document in documents:
        ids = prompt.encode(document.text)
        room = prompt.room(len(ids), context, the_plan.decoding.max_tokens)
        if room.fits:
            requests.append(Request(document.document_id, ids, prompt.json_schema, room.max_tokens, 1))
    return requests


async def bare(engine: EmbeddedEngine, requests: Sequence[Request], decoding: Decoding, label: str) -> float:
    """Seconds that AsyncLLM takes for all requests at once."""
    core = engine.core

    async def one(request: Request) -> None:
        prompt = {"prompt_token_ids": list(request.prompt_ids)}
        parameters = sampling.parameters(request, decoding, 0)
        async for _ in core.generate(prompt, parameters, f"{label}-{request.request_id}"):
            pass

    await core.reset_prefix_cache()
    started = time.perf_counter()
    await asyncio.gather(*(one(request) for request in requests))
    return time.perf_counter() - started


async def piped(engine: EmbeddedEngine, order: Order, settings: Settings) -> tuple[float, int]:
    """Seconds that the whole pipeline takes in a new home, and the answers that came from the engine."""
    the_plan = plan(order, settings)
    warehouse = Warehouse(settings.home)
    warehouse.register_schema(the_plan.schema)
    warehouse.register_recipe(the_plan.recipe)
    run_id = warehouse.start_run("extract", the_plan.schema.ref, the_plan.recipe.recipe_id, order.source)

    async def lend(_: Plan) -> Lent:
        return Lent(engine)

    await engine.core.reset_prefix_cache()
    with shown(Tally(len(the_plan.todo)), Console(file=StringIO())) as display:
        started = time.perf_counter()
        stager = Stager(warehouse, run_id, settings.shard_size, settings.stage_every)
        await Pipeline(the_plan, run_id, stager, lend, display).run()
        seconds = time.perf_counter() - started
    rows = warehouse.query("select count(*) as n from attempts").to_pylist()
    return seconds, int(rows[0]["n"])


async def measure(order: Order, rounds: int) -> dict[str, Any]:
    """Every round's seconds, the rates and their ratio."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        first = load(home=Path(folder) / "0", model=model_folder(load()))
        the_plan = plan(order, first)
        documents = documents_of(the_plan, first)
        engine = await EmbeddedEngine.start(
            the_plan.model, the_plan.decoding.backend, first.max_model_len, first.max_num_seqs
        )
        try:
            requests = requests_of(the_plan, documents, engine.max_model_len)
            await bare(engine, requests[:4], the_plan.decoding, "warm-up")
            alone: list[float] = []
            through: list[float] = []
            for number in range(rounds):
                alone.append(await bare(engine, requests, the_plan.decoding, str(number)))
                home = first.model_copy(update={"home": Path(folder) / f"{number + 1}"})
                seconds, answers = await piped(engine, order, home)
                if answers != len(requests):
                    raise SystemExit(f"{answers} answers through the pipeline, {len(requests)} alone")
                through.append(seconds)
        finally:
            await engine.close()
    return report(len(requests), alone, through)


def report(documents: int, alone: Sequence[float], through: Sequence[float]) -> dict[str, Any]:
    """Rates in documents a second over the median round, and the ratio of the two."""
    return {
        "documents": documents,
        "bare_seconds": [round(one, 2) for one in alone],
        "pipeline_seconds": [round(one, 2) for one in through],
        "bare_documents_per_s": round(documents / median(alone), 3),
        "pipeline_documents_per_s": round(documents / median(through), 3),
        "ratio": round(median(alone) / median(through), 3),
    }


def main() -> int:
    """Print the report; 0 where the pipeline keeps to its target."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", help="folder of documents")
    parser.add_argument("--schema", default="receipt@1")
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    result = asyncio.run(measure(Order(given.source, given.schema, limit=given.limit), given.rounds))
    print(json.dumps(result))
    return 0 if result["ratio"] >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())

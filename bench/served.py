"""Served against embedded: documents a second over HTTP, over those of the engine in this process' keeping.

`python bench/served.py DIR [--schema receipt@1] [--limit 60] [--rounds 3]` prints one JSON object. Both
engines have the same model, settings, prompts and number in flight, and both are loaded before the clock
starts; an idle one takes no time. A round is embedded, then served, each from an empty prefix cache. `ratio`
is that of the median rates; exit 1 where it is under 0.95.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

# Before this file's own folder, in which a file would stand in for the package of its name.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.pipeline import documents_of, requests_of
from extractors.engines.base import Engine
from extractors.engines.client import Client
from extractors.engines.embedded import EmbeddedEngine
from extractors.engines.served import ServedEngine
from extractors.engines.told import Servers, describe
from flows.model import model_folder
from flows.order import Order
from flows.pipeline import IN_FLIGHT_FACTOR
from flows.plan import Plan, plan
from flows.settings import load
from schemas.decoding import Decoding
from schemas.records import Request
from scripts.vllm_server import VllmServer, command, free_port

TARGET = 0.95
Empty = Callable[[], Awaitable[object]]


async def timed(
    engine: Engine, requests: Sequence[Request], decoding: Decoding, at_once: int, empty: Empty
) -> tuple[float, int]:
    """Seconds for all requests with `at_once` in flight, and the tokens drawn; from an empty prefix cache."""
    places = asyncio.Semaphore(at_once)

    async def one(request: Request) -> int:
        async with places:
            (attempt,) = await engine.generate(request, decoding, request.request_id)
        if attempt.error is not None:
            raise SystemExit(attempt.error)
        return attempt.output_tokens

    await empty()
    began = time.perf_counter()
    tokens = await asyncio.gather(*(one(request) for request in requests))
    return time.perf_counter() - began, sum(tokens)


async def compare(the_plan: Plan, url: str, rounds: int) -> dict[str, Any]:
    """Every round's seconds and tokens on both engines, and what follows from them."""
    settings, decoding = the_plan.settings, the_plan.decoding
    embedded = await EmbeddedEngine.start(
        the_plan.model, decoding.backend, settings.max_model_len, settings.max_num_seqs
    )
    servers = Servers((url,))
    served = await ServedEngine.start(
        servers, await describe(servers, 10.0), the_plan.model, decoding, settings.max_model_len
    )
    requests = requests_of(the_plan, documents_of(the_plan, settings), embedded.max_model_len)
    at_once = IN_FLIGHT_FACTOR * settings.max_num_seqs
    bare = Client(url, None, 60.0)
    found: dict[str, list[tuple[float, int]]] = {"embedded": [], "served": []}
    try:
        for number in range(rounds + 1):
            few = requests if number else requests[:4]  # the first one warms both up
            one = await timed(embedded, few, decoding, at_once, embedded.core.reset_prefix_cache)
            other = await timed(served, few, decoding, at_once, lambda: bare.post("/reset_prefix_cache", b""))
            if number:
                found["embedded"].append(one)
                found["served"].append(other)
    finally:
        await bare.close()
        await served.close()
        await embedded.close()
    return report(len(requests), **found)


def report(
    documents: int, embedded: Sequence[tuple[float, int]], served: Sequence[tuple[float, int]]
) -> dict[str, Any]:
    """Rates in documents a second over the median round, and the ratio of the two."""
    ours, theirs = median(one for one, _ in embedded), median(one for one, _ in served)
    return {
        "documents": documents,
        "embedded_seconds": [round(one, 2) for one, _ in embedded],
        "served_seconds": [round(one, 2) for one, _ in served],
        "embedded_tokens": [tokens for _, tokens in embedded],
        "served_tokens": [tokens for _, tokens in served],
        "embedded_documents_per_s": round(documents / ours, 3),
        "served_documents_per_s": round(documents / theirs, 3),
        "ratio": round(ours / theirs, 3),
    }


def measure(order: Order, rounds: int) -> dict[str, Any]:
    """Start the server, and compare."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        settings = load(home=Path(folder) / "home", model=model_folder(load()), engine="embedded")
        the_plan = plan(order, settings)
        port = free_port()
        arguments = command(
            the_plan.model,
            port,
            backend=the_plan.decoding.backend,
            max_model_len=settings.max_model_len,
            max_num_seqs=settings.max_num_seqs,
        )
        # The switch for /reset_prefix_cache.
        with VllmServer(arguments, port, Path(folder) / "log", {"VLLM_SERVER_DEV_MODE": "1"}) as server:
            return asyncio.run(compare(the_plan, server.url, rounds))


def main() -> int:
    """Print the report; 0 where the served engine keeps to its target."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", help="folder of documents")
    parser.add_argument("--schema", default="receipt@1")
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    result = measure(Order(given.source, given.schema, limit=given.limit), given.rounds)
    print(json.dumps(result))
    return 0 if result["ratio"] >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())

"""What a guarantee costs, on one loaded engine in one run: `python bench/decoding.py DIR [--limit 32]`.

Prints one JSON object. `guided_over_unguided`: tokens a second with the schema's mask over tokens a second
without it, for the same prompts and exactly as many tokens each (the schema is repeated in a list that cannot
end earlier; without it the end token is ignored), rounds taking turns, prefix cache emptied before each;
`_cpu` is the same by the engine's processor time.
`compile_ms`: what the default backend needs for each shipped schema, median and worst of ten.
`scoring_share`: time of the second pass over the time of generating what it scores. Exit 1 where guided is
slower by more than a tenth, or a schema takes 50 ms or more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import psutil

from extractors.backends.compiling import compiler
from extractors.backends.vocabulary import Vocabulary
from extractors.engines import sampling
from extractors.engines.embedded import EmbeddedEngine
from extractors.engines.process import core_pids
from extractors.prompts import Prompt
from flows.model import model_folder
from flows.settings import load
from schemas.decoding import DEFAULT, Decoding, resolve
from schemas.json_schema import decoder_schema
from schemas.records import Attempt, Request
from schemas.registry import SHIPPED
from schemas.registry import load as load_registry

LEAST_RATIO = 0.90
MOST_COMPILE_MS = 50.0
GUIDED, UNGUIDED = resolve("guided-greedy"), resolve("prompt-greedy")


def compile_times(model_dir: Path, repeats: int = 10) -> dict[str, dict[str, float]]:
    """Milliseconds for each shipped schema, over the model's own vocabulary. Nothing is cached."""
    backend = compiler(resolve(DEFAULT).backend, Vocabulary.of_model(model_dir))
    found = {}
    for ref, cls in sorted(SHIPPED.items()):
        text = json.dumps(decoder_schema(cls), ensure_ascii=False)
        times = []
        for _ in range(repeats):
            started = time.perf_counter()
            backend.compile_schema(text).allowed()
            times.append(1000 * (time.perf_counter() - started))
        found[ref] = {"median": round(median(times), 2), "worst": round(max(times), 2)}
    return found


def endless(schema: dict[str, Any]) -> str:
    """The schema in a list that is longer than any answer here: the mask works on each token to the last."""
    return json.dumps({"type": "array", "items": schema, "minItems": 999})


def parameters(request: Request, decoding: Decoding) -> Any:
    """Exactly `request.max_tokens` tokens: no end token and no loop ends the answer."""
    made = sampling.parameters(request, decoding, 0)
    made.ignore_eos = decoding.mode == "prompt"
    made.repetition_detection = None
    return made


@dataclass(frozen=True)
class Rate:
    """Tokens a second by the clock, and by the engine's processor time, for a machine that is busy."""

    wall: float
    cpu: float


def processor_s() -> float:
    """Seconds of processor time that the engine's process has used."""
    times = [psutil.Process(pid).cpu_times() for pid in core_pids()]
    return float(sum(one.user + one.system for one in times))


async def timed(engine: EmbeddedEngine, requests: Sequence[Request], decoding: Decoding, label: str) -> Rate:
    """The rate for all requests at once. Raises SystemExit where one did not draw as many tokens as asked."""
    await engine.core.reset_prefix_cache()
    started, spent = time.perf_counter(), processor_s()
    drawn = await asyncio.gather(*(_drawn(engine, one, decoding, label) for one in requests))
    seconds, spent = time.perf_counter() - started, processor_s() - spent
    wanted = [request.max_tokens for request in requests]
    if drawn != wanted:
        raise SystemExit(f"{decoding.name} drew {drawn} tokens, not {wanted}")
    return Rate(sum(drawn) / seconds, sum(drawn) / spent)


async def _drawn(engine: EmbeddedEngine, request: Request, decoding: Decoding, label: str) -> int:
    prompt = {"prompt_token_ids": list(request.prompt_ids)}
    tokens = 0
    asked = f"{label}-{decoding.name}-{request.request_id}"
    async for output in engine.core.generate(prompt, parameters(request, decoding), asked):
        tokens = len(output.outputs[0].token_ids)
    return tokens


async def scoring(engine: EmbeddedEngine, requests: Sequence[Request]) -> tuple[float, float]:
    """Seconds to generate ordinary answers, and to score them."""
    await engine.core.reset_prefix_cache()
    started = time.perf_counter()
    answers: list[list[Attempt]] = await asyncio.gather(
        *(engine.generate(one, GUIDED, one.request_id) for one in requests)
    )
    generated = time.perf_counter()
    ids = [tuple(token.id for token in attempt.tokens) for (attempt,) in answers]
    await asyncio.gather(
        *(engine.score(one.prompt_ids, drawn) for one, drawn in zip(requests, ids, strict=True))
    )
    return generated - started, time.perf_counter() - generated


async def measure(texts: Sequence[str], schema: str, rounds: int, tokens: int) -> dict[str, Any]:
    """The whole report."""
    settings = load()
    model = model_folder(settings)
    cls = load_registry(None).resolve(schema).cls
    engine = await EmbeddedEngine.start(model, GUIDED.backend, settings.max_model_len, settings.max_num_seqs)
    try:
        prompt = Prompt(cls, engine.tokenizer)
        forced = [
            Request(f"{n}", prompt.encode(text), endless(decoder_schema(cls)), tokens, 1)
            for n, text in enumerate(texts)
        ]
        plain = [
            Request(f"{n}", prompt.encode(text), prompt.json_schema, 256, 1) for n, text in enumerate(texts)
        ]
        await timed(engine, forced[:4], GUIDED, "warm-up")
        guided, unguided = [], []
        for number in range(rounds):
            unguided.append(await timed(engine, forced, UNGUIDED, str(number)))
            guided.append(await timed(engine, forced, GUIDED, str(number)))
        generating, scored = await scoring(engine, plain)
    finally:
        await engine.close()
    return {
        "documents": len(texts),
        "tokens_each": tokens,
        "guided_tokens_per_s": [round(one.wall, 1) for one in guided],
        "unguided_tokens_per_s": [round(one.wall, 1) for one in unguided],
        "guided_over_unguided": round(ratio([one.wall for one in guided], [one.wall for one in unguided]), 3),
        "guided_over_unguided_cpu": round(
            ratio([one.cpu for one in guided], [one.cpu for one in unguided]), 3
        ),
        "compile_ms": compile_times(model),
        "generating_s": round(generating, 2),
        "scoring_s": round(scored, 2),
        "scoring_share": round(scored / generating, 3),
    }


def ratio(guided: Sequence[float], unguided: Sequence[float]) -> float:
    """The median round's rate over the other's."""
    return median(guided) / median(unguided)


def main() -> int:
    """Print the report; 0 where it keeps to both targets."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder of text files, such as receipts")
    parser.add_argument("--schema", default="receipt@1")
    parser.add_argument("--limit", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=96)
    given = parser.parse_args()
    texts = [path.read_text() for path in sorted(given.folder.glob("*.txt"))[: given.limit]]
    found = asyncio.run(measure(texts, given.schema, given.rounds, given.tokens))
    print(json.dumps(found, indent=2))
    slowest = max(times["median"] for times in found["compile_ms"].values())
    return 0 if found["guided_over_unguided"] >= LEAST_RATIO and slowest < MOST_COMPILE_MS else 1


if __name__ == "__main__":
    sys.exit(main())

"""What a decoding costs: latency, tokens for each right answer, engine time, money."""

from __future__ import annotations

from collections.abc import Sequence

from flows.evaluation.measures import Scored
from flows.evaluation.result import Row
from validators.statistics import latency

_HOUR_S = 3600.0


def cost_rows(outputs: Sequence[Scored], engine_s: float, price_per_hour: float | None) -> list[Row]:
    """Costs over all outputs of one decoding. `engine_s` is how long they kept the engine at work.

    Tokens are those of every attempt, retries and failed ones included. A number that does not exist, such as
    tokens for each right answer where none is right, is None.
    """
    documents = len(outputs)
    right = sum(one.exact for one in outputs)
    drawn = sum(one.output.output_tokens for one in outputs)
    read = sum(one.output.prompt_tokens for one in outputs)
    return [
        *_latency_rows([one.output.latency_s for one in outputs if one.output.latency_s is not None]),
        Row("output tokens", drawn / documents, "tokens a document", inputs=documents),
        Row("prompt tokens", read / documents, "tokens a document", inputs=documents),
        Row("output tokens per exact", _ratio(drawn, right), "tokens a right answer", inputs=documents),
        Row("all tokens per exact", _ratio(drawn + read, right), "tokens a right answer", inputs=documents),
        Row("throughput", _ratio(documents, engine_s), "documents a second", inputs=documents),
        Row("engine time", engine_s / documents, "engine-seconds a document", inputs=documents),
        Row(
            "money",
            _money(engine_s / documents, price_per_hour),
            "money a thousand documents",
            inputs=documents,
        ),
        Row(
            "money per exact",
            _money(_ratio(engine_s, right), price_per_hour),
            "money a thousand right answers",
            inputs=documents,
        ),
    ]


def _latency_rows(seconds: Sequence[float]) -> list[Row]:
    if not seconds:
        return []
    found = latency(seconds)
    named = (("latency median", found.median), ("latency p95", found.p95), ("latency p99", found.p99))
    return [Row(name, float(value), "seconds", inputs=len(seconds)) for name, value in named]


def _ratio(above: float, below: float) -> float | None:
    return above / below if below else None


def _money(engine_s: float | None, price_per_hour: float | None) -> float | None:
    """Money for a thousand times `engine_s` seconds of the engine."""
    return None if engine_s is None or price_per_hour is None else 1000 * engine_s / _HOUR_S * price_per_hour

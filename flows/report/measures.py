"""A run's shares and times beside those of the runs before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from urllib.parse import unquote

from schemas.records import Status
from warehouse.metrics import Metrics

FAR = 3.0
"""Standard errors from which on a share is marked as away from the runs before."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure: this run's, and that of each run before it that has it, the oldest first.

    `z` is how many standard errors a share is away from all those runs together (two proportions, pooled).
    """

    name: str
    value: float
    before: tuple[float, ...] = ()
    z: float | None = None

    @property
    def earlier(self) -> float | None:
        """The mean of the runs before."""
        return sum(self.before) / len(self.before) if self.before else None

    @property
    def mark(self) -> str:
        """`▲` or `▼` where the share is far away from the runs before, else nothing."""
        if self.z is None or abs(self.z) <= FAR:
            return ""
        return "▲" if self.z > 0 else "▼"


def statuses(metrics: Metrics) -> list[Measure]:
    """The share of each status."""
    return [_share(metrics, f"{status}_share", str(status)) for status in Status]


def categories(metrics: Metrics) -> list[Measure]:
    """The share of each category that this run or one before it had, the largest first."""
    found = [
        measure for measure in _family(metrics, "category_share") if measure.value or any(measure.before)
    ]
    return sorted(found, key=lambda one: (-one.value, one.name))


def nulls(metrics: Metrics) -> list[Measure]:
    """How often each field is null, the most often first."""
    return sorted(_family(metrics, "null_share"), key=lambda one: (-one.value, one.name))


def latencies(metrics: Metrics) -> list[Measure]:
    """Seconds that half and 95 % of the attempts took at most."""
    names = {"latency_p50_s": "half of the attempts", "latency_p95_s": "95 % of the attempts"}
    known = {name: words for name, words in names.items() if name in metrics.values}
    return [Measure(words, metrics.values[name], _before(metrics, name)) for name, words in known.items()]


def _family(metrics: Metrics, kind: str) -> Iterator[Measure]:
    for name in metrics.values:
        if name.startswith(f"{kind}:"):
            yield _share(metrics, name, unquote(name.removeprefix(f"{kind}:")))


def _share(metrics: Metrics, name: str, words: str) -> Measure:
    value = metrics.values.get(name, 0.0)
    told = [(one[name], one.get("documents_out", 0.0)) for one in metrics.history if name in one]
    z = _distance(value, metrics.values.get("documents_out", 0.0), told)
    return Measure(words, value, tuple(share for share, _ in told), z)


def _distance(value: float, documents: float, told: list[tuple[float, float]]) -> float | None:
    """The two-proportion z of a share against those before, as the view `drift` has it."""
    before = sum(count for _, count in told)
    if not before or not documents:
        return None
    earlier = sum(share * count for share, count in told) / before
    pooled = (value * documents + earlier * before) / (documents + before)
    error = sqrt(pooled * (1 - pooled) * (1 / documents + 1 / before))
    return (value - earlier) / error if error else 0.0


def _before(metrics: Metrics, name: str) -> tuple[float, ...]:
    return tuple(one[name] for one in metrics.history if name in one)


def counted(metrics: Metrics) -> Mapping[str, int]:
    """How many documents ended in each status."""
    documents = metrics.values.get("documents_out", 0.0)
    return {str(status): round(metrics.values.get(f"{status}_share", 0.0) * documents) for status in Status}

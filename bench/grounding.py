"""How well grounding tells true values from invented ones, and how fast: `python bench/grounding.py DATA`.

For each labelled set under DATA (receipts, invoices_eu, nda): the share of true values that ground, by kind
of match; the share of believable wrong values that are refused; documents a second on one core, index and
look-ups. With `--lines` each failure is printed as a line to read. Wrong values are made from the true ones
and kept only where a plain search, which shares no code with the validators, does not find them.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.grounding_data import Case, load
from bench.grounding_wrong import wrong_values
from schemas.contract import Leaf
from schemas.records import Match
from validators.grounding.check import look_up
from validators.grounding.index import SourceIndex

BARS: dict[str, dict[str, tuple[float, float]]] = {
    "receipts": {
        "company": (98.5, 99.5), "date": (99.5, 100), "address": (98, 99.5), "total": (99.5, 100),
    },
    "invoices_eu": {"total": (99, 99.5), "date": (99, 99.5), "name": (98, 99.5)},
    "nda": {"effective_date": (95, 99), "party": (97, 99), "term": (90, 99)},
}  # fmt: skip
"""Set -> field -> least percentages: true values grounded, invented ones refused."""
SPEED = {"receipts": 1000, "invoices_eu": 300, "nda": 60}
"""Set -> least documents a second."""
GROUNDED = {Match.VERBATIM, Match.NORMALISED, Match.FUZZY}


@dataclass
class Tally:
    """Counts of one field: true values by match, invented ones by how they were made."""

    true: Counter[Match] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    invented: Counter[str] = field(default_factory=Counter)

    @property
    def recall(self) -> float:
        """Percentage of true values grounded."""
        return 100 * sum(self.true[kind] for kind in GROUNDED) / max(1, self.true.total())

    @property
    def refusal(self) -> float:
        """Percentage of invented values refused."""
        return 100 * self.refused.total() / max(1, self.invented.total())


def measure(cases: list[Case], lines: list[str]) -> dict[str, Tally]:
    """Look up every true and every invented value of a set."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    pools = _pools(cases)
    for number, case in enumerate(cases):
        index = SourceIndex(case.text)
        for name, leaf in case.leaves:
            outcome = look_up(leaf, index, case.locale)
            tallies[name].true[outcome.match] += 1
            if outcome.match not in GROUNDED:
                lines.append(
                    f"missed   {case.id} {name} {leaf.value!r}: {outcome.match} {outcome.note or ''}"
                )
            for made, wrong in wrong_values(leaf, pools[name], case.text, random.Random(number)):
                _invented(made, wrong, case, name, tallies[name], index, lines)
    return tallies


def _invented(
    made: str, wrong: Leaf, case: Case, name: str, tally: Tally, index: SourceIndex, lines: list[str]
) -> None:
    outcome = look_up(wrong, index, case.locale)
    tally.invented[made] += 1
    if outcome.match in GROUNDED:
        span = outcome.spans[0]
        where = case.text[span.start : span.end]
        lines.append(
            f"accepted {case.id} {name} {made} {wrong.value!r} as {outcome.match} {outcome.score} {where!r}"
        )
    else:
        tally.refused[made] += 1


def _pools(cases: list[Case]) -> dict[str, list[Any]]:
    pools: dict[str, list[Any]] = defaultdict(list)
    for case in cases:
        for name, leaf in case.leaves:
            pools[name].append(leaf.value)
    return pools


def speed(cases: list[Case]) -> float:
    """Documents a second: one index and the look-ups of its true values, the best of three passes."""
    best = 0.0
    for _ in range(3):
        start = time.process_time()
        for case in cases:
            index = SourceIndex(case.text)
            for _, leaf in case.leaves:
                look_up(leaf, index, case.locale)
        best = max(best, len(cases) / (time.process_time() - start))
    return best


def report(name: str, tallies: dict[str, Tally], pace: float) -> Iterator[str]:
    """The lines of one set, each with its bar and whether it holds."""
    for field_name, tally in tallies.items():
        recall, refusal = BARS[name].get(field_name, (0.0, 0.0))
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(tally.true.items()))
        mark = "ok " if tally.recall >= recall and tally.refusal >= refusal else "LOW"
        yield f"{mark} {name}/{field_name}: grounded {tally.recall:.2f} % (bar {recall}) of {kinds}"
        made = ", ".join(
            f"{how} {tally.refused[how]}/{tally.invented[how]}" for how in sorted(tally.invented)
        )
        yield f"      refused {tally.refusal:.2f} % (bar {refusal}): {made}"
    yield f"{'ok ' if pace >= SPEED[name] else 'LOW'} {name}: {pace:.0f} documents/s (bar {SPEED[name]})"


def main() -> int:
    """Measure each set; exit 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("data", type=Path)
    parser.add_argument("--set", dest="only", choices=list(BARS))
    parser.add_argument("--lines", action="store_true", help="print each failure")
    arguments = parser.parse_args()
    low = False
    for name in [arguments.only] if arguments.only else BARS:
        cases = load(arguments.data / name)
        lines: list[str] = []
        tallies = measure(cases, lines)
        for line in [*report(name, tallies, speed(cases)), *(lines if arguments.lines else [])]:
            low |= line.startswith("LOW")
            print(line)
    return int(low)


if __name__ == "__main__":
    sys.exit(main())

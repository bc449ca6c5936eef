"""What a person asks of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flows.labels.reading import CLUSTER
from schemas.errors import UsageError
from validators.grounding.month_names import parse_locale

RESAMPLES = 10_000
# Draws of one decoding get seeds next to each other; another --seed starts this far away.
SEEDS_APART = 1_000


@dataclass(frozen=True, slots=True)
class Asked:
    """Measure `decodings` under `schema` against `labels` (None: those in the warehouse), or runs that exist.

    `samples` draws are made of each input, all of it `repeats` times, for `limit` inputs drawn by `seed`.
    Names in `rename` and `without` are the labels' own, `cluster` is the key of what belongs together,
    `where` the values that a row's own keys must have, and
    `documents` is where the documents lie if not where the labels say. Raises UsageError for what does not go
    together.
    """

    labels: str | None
    schema: str | None = None
    decodings: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    samples: int = 1
    repeats: int = 1
    limit: int | None = None
    seed: int = 0
    baseline: str | None = None
    rename: Mapping[str, str] = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    locale: str | None = None
    cluster: str = CLUSTER
    where: Mapping[str, str] = field(default_factory=dict)
    documents: str | None = None

    def __post_init__(self) -> None:
        for holds, message in _rules(self):
            if not holds:
                raise UsageError(message)


def _rules(asked: Asked) -> list[tuple[bool, str]]:
    """What must hold between options, each with what to say where it does not."""
    drawn = not asked.runs
    known = asked.baseline is None or asked.baseline in asked.decodings
    twice = len(set(asked.decodings)) == len(asked.decodings)
    return [
        (bool(asked.decodings) or not drawn, "--decodings: name at least one, or score runs with --from RUN"),
        (bool(asked.schema) or not drawn, "--schema: name the schema version, such as receipt@1"),
        (drawn or not asked.decodings, "--from scores runs that exist: leave out --decodings"),
        (
            drawn or asked.samples == asked.repeats == 1,
            "--from scores runs that exist: no --samples, --repeat",
        ),
        (twice, "--decodings: one is named twice; --repeat 2 runs the same again"),
        (known or not drawn, f"--baseline {asked.baseline}: it is none of --decodings"),
        (asked.seed < 2**63, "--seed: a whole number below 2^63"),
        (
            asked.locale is None or parse_locale(asked.locale) is not None,
            f"--locale {asked.locale}: there is no such locale; write it as de_DE or en_US",
        ),
        (
            asked.labels is not None or not _of_a_file(asked),
            "--rename, --without, --where, --cluster and --locale read a file of labels: name one",
        ),
        (asked.samples < SEEDS_APART, f"--samples: at most {SEEDS_APART - 1}"),
    ]


def _of_a_file(asked: Asked) -> bool:
    """Whether something is asked that only a file of labels can have."""
    named = asked.rename or asked.without or asked.where or asked.locale
    return bool(named) or asked.cluster != CLUSTER


def pairs(given: list[str], option: str, how: str) -> dict[str, str]:
    """Options such as `--rename OLD=NEW` as a mapping. Raises UsageError where one is not written so, or
    where two of them say otherwise of one name."""
    found: dict[str, str] = {}
    for one in given:
        old, sign, new = one.partition("=")
        if not (old and sign and new):
            raise UsageError(f"{option} {one}: write {how}")
        if found.setdefault(old, new) != new:
            raise UsageError(
                f"{option} {one}: {old} is given as {found[old]} already; leave one of the two out"
            )
    return found

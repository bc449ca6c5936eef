"""What a lint needs beyond a schema's class: a backend to try it on, and other processes to build it in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import partial

from extractors.backends.compiling import compiler
from extractors.backends.experiment import Bench
from extractors.backends.findings import backend_hits, spelling_hits
from extractors.backends.vocabulary import Vocabulary
from extractors.engines.process import prepare_environment
from extractors.model import NAME, is_ready
from flows.output import note
from flows.settings import Settings, own_decodings
from schemas.contract import ExtractionSchema
from schemas.decoding import Backend, resolve
from schemas.errors import EngineUnavailable
from schemas.lint import Tried
from schemas.lint_rules import Hit
from schemas.registry import SchemaVersion

# The order of a set of strings hangs on it, and is the usual reason for which a schema differs.
_HASH_SEEDS = ("1", "2", "3")


def tried(settings: Settings, versions: Iterable[SchemaVersion], backend: Backend | None = None) -> Tried:
    """The rules that need more than a class. `backend` None takes that of the default decoding.

    Raises EngineUnavailable where the library of a backend that was asked for is missing.
    """
    rules = {"S018": partial(_differing, prints=_prints_elsewhere(versions))}
    try:
        bench = bench_of(settings, backend or resolve(settings.decoding, own_decodings(settings)).backend)
    except EngineUnavailable as error:
        if backend is not None:
            raise
        note(f"not tried on a decoding backend: {error}")
        return rules
    return {**rules, "S010": partial(backend_hits, bench=bench), "S017": partial(spelling_hits, bench=bench)}


def bench_of(settings: Settings, backend: Backend) -> Bench:
    """The backend over the model's vocabulary; over plain bytes, and saying so, without a model."""
    prepare_environment()  # for vLLM, whose own refusals are a part of the experiment
    folder = settings.model or settings.models / NAME
    if settings.model is None and not is_ready(folder):
        note("no model is set up yet: tried with single bytes as tokens (`assay extract` sets one up)")
        vocabulary = Vocabulary.of_bytes()
    else:
        vocabulary = Vocabulary.of_model(folder)
    return Bench(backend, vocabulary, compiler(backend, vocabulary))


def _differing(cls: type[ExtractionSchema], prints: dict[str, set[str]]) -> Iterator[Hit]:
    """S018. Whether other processes built another schema from the same class."""
    seen = prints.get(f"{cls.__module__}.{cls.__qualname__}", set())
    if len(seen) > 1:
        yield Hit("", f"{len(seen)} processes built {len(seen)} schemas from {cls.__name__}.")


def _prints_elsewhere(versions: Iterable[SchemaVersion]) -> dict[str, set[str]]:
    """Class -> the fingerprints that other processes give it. A released version is held by its lock file."""
    open_ = {version.ref: version for version in versions if not version.released}
    found: dict[str, set[str]] = {}
    for printed in _listed_elsewhere() if open_ else ():
        for row in printed:
            if row["schema"] in open_:
                cls = open_[row["schema"]].cls
                found.setdefault(f"{cls.__module__}.{cls.__qualname__}", set()).add(row["fingerprint"])
    return found


def _listed_elsewhere() -> Iterator[list[dict[str, str]]]:
    """`assay schemas list`, as processes say it that hash strings otherwise than this one."""
    command = [sys.executable, "-m", "flows.cli", "schemas", "list", "--json"]
    running = [
        subprocess.Popen(command, env={**os.environ, "PYTHONHASHSEED": seed}, stdout=-1, stderr=-1)
        for seed in _HASH_SEEDS
    ]
    for process in running:
        printed, _ = process.communicate()
        if process.returncode == 0:
            yield json.loads(printed)

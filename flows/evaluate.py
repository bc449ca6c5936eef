"""An evaluation from its labels to its numbers: inputs, runs, scores, differences, record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from flows.engine import start
from flows.evaluation.asked import RESAMPLES, Asked
from flows.evaluation.assess import assess
from flows.evaluation.differ import disagreements
from flows.evaluation.draw import Drawn, draw
from flows.evaluation.existing import existing
from flows.evaluation.inputs import Inputs, answered, from_runs, from_storage
from flows.evaluation.known import fingerprint, known_labels, label_rows
from flows.evaluation.measures import Scored, Scorer
from flows.evaluation.outputs import engine_seconds, outputs
from flows.evaluation.records import measured_rows
from flows.evaluation.result import Evaluation
from flows.labels import Labels
from flows.labels.files import find
from flows.pipeline import EngineFactory
from flows.readable import readable
from flows.settings import Settings
from schemas.errors import UsageError
from schemas.registry import SchemaVersion
from schemas.registry import load as load_registry
from warehouse.rows import now
from warehouse.runs import new_run_id
from warehouse.store import Warehouse


@dataclass(frozen=True, slots=True)
class Material:
    """All that is measured: the runs, and the documents with labels that all of them have an outcome for."""

    schema: SchemaVersion
    labels: Labels
    inputs: Inputs
    runs: tuple[Drawn, ...]

    @property
    def run_ids(self) -> list[str]:
        """The runs' ids."""
        return [run.run_id for run in self.runs]

    @property
    def document_ids(self) -> list[str]:
        """The inputs' ids."""
        return [item.document_id for item in self.inputs.items]


def evaluate(
    asked: Asked,
    settings: Settings,
    *,
    start_engine: EngineFactory = start,
    console: Console | None = None,
) -> Evaluation:
    """Measure what was asked, record it in the warehouse, and give it back.

    Raises UsageError for what cannot be asked, DocumentsFailed where a run was stopped or got no answers.
    """
    warehouse = Warehouse(settings.home)
    if asked.runs:
        material = _from_runs(asked, settings, warehouse)
    else:
        material = _drawn(asked, settings, warehouse, start_engine, console)
    return _measured(asked, settings, warehouse, material)


def _drawn(
    asked: Asked,
    settings: Settings,
    warehouse: Warehouse,
    start_engine: EngineFactory,
    console: Console | None,
) -> Material:
    schema = load_registry(settings.schemas).resolve(asked.schema or "")
    _allow(asked, settings)
    labels = known_labels(asked, schema, warehouse)
    inputs = from_storage(labels, asked, warehouse, settings.max_document_bytes, readable(settings))
    blobs = tuple(item.blob for item in inputs.items if item.blob is not None)
    runs = draw(asked, blobs, settings, start_engine, console)
    warehouse.land()  # what a reader had held up: it is waited for, because nothing can be measured without
    found = existing(warehouse, [run.run_id for run in runs])
    return Material(schema, labels, answered(inputs, found.documents), tuple(runs))


def _allow(asked: Asked, settings: Settings) -> None:
    """Raises UsageError for a file of labels outside the roots that may be read."""
    if asked.labels is not None and settings.roots:
        readable(settings).check(asked.labels)
        readable(settings).check(str(find(Path(asked.labels))))


def _from_runs(asked: Asked, settings: Settings, warehouse: Warehouse) -> Material:
    found = existing(warehouse, asked.runs)
    if asked.schema is not None and asked.schema != found.schema:
        raise UsageError(f"--from: the runs are of {found.schema}, not of {asked.schema}")
    schema = load_registry(settings.schemas).resolve(found.schema)
    labels = known_labels(asked, schema, warehouse)
    inputs = from_runs(labels, asked, found.documents)
    return Material(schema, labels, replace(inputs, partial=found.partial), found.runs)


def _measured(asked: Asked, settings: Settings, warehouse: Warehouse, material: Material) -> Evaluation:
    scored = _scored(warehouse, material)
    names = list(dict.fromkeys(run.decoding for run in material.runs))
    baseline = _baseline(asked, names)
    busy = engine_seconds(warehouse, material.run_ids, material.document_ids)
    price = settings.price_per_hour
    arms, measured = assess(scored, material.inputs, baseline, asked.seed, busy, price)
    evaluation = Evaluation(
        evaluation_id=new_run_id(),
        schema=material.schema.ref,
        labels=material.labels.path,
        labels_sha256=fingerprint(material.inputs),
        created_at=now(),
        baseline=baseline,
        samples=max(run.sample for run in material.runs) + 1,
        repeats=max(run.repeat for run in material.runs) + 1,
        seed=asked.seed,
        resamples=RESAMPLES,
        inputs=material.inputs,
        runs=material.runs,
        arms=tuple(arms),
        disagreements=tuple(disagreements(_first_times(scored), material.inputs.items)),
        price_per_hour=price,
        conventions=material.labels.conventions,
    )
    labels = list(label_rows(asked, evaluation.schema, material.inputs))
    warehouse.add_evaluation(measured_rows(evaluation, measured, labels))
    return evaluation


def _scored(warehouse: Warehouse, material: Material) -> dict[Drawn, list[Scored]]:
    """The scored outputs of each run."""
    scorer = Scorer(material.schema.cls, material.inputs.items)
    found: dict[str, list[Scored]] = {run_id: [] for run_id in material.run_ids}
    for output in outputs(warehouse, material.run_ids, material.document_ids):
        found[output.run_id].append(scorer(output))
    return {run: found[run.run_id] for run in material.runs}


def _first_times(scored: Mapping[Drawn, Sequence[Scored]]) -> dict[str, list[Scored]]:
    """All samples of each decoding, the first sample first."""
    found: dict[str, list[Scored]] = {}
    for run, outputs_ in sorted(scored.items(), key=lambda pair: pair[0].sample):
        if run.repeat == 0:
            found.setdefault(run.decoding, []).extend(outputs_)
    return found


def _baseline(asked: Asked, names: Sequence[str]) -> str:
    """The decoding that others are compared with: the first, unless one was named."""
    if asked.baseline is None:
        return names[0]
    if asked.baseline not in names:
        raise UsageError(f"--baseline {asked.baseline}: it is none of {', '.join(names)}")
    return asked.baseline

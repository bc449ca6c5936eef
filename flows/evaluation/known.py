"""Labels of an evaluation: from a file, or from the warehouse, where the review desk writes them too."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from flows.evaluation.asked import Asked
from flows.evaluation.inputs import Inputs
from flows.labels import Label, Labels, Problem, read_labels, write_texts
from flows.labels.names import adapted
from flows.person import who
from flows.readable import texts
from schemas.errors import UsageError
from schemas.registry import SchemaVersion
from warehouse.evaluations import LabelRow
from warehouse.rows import now
from warehouse.runs import new_run_id
from warehouse.store import Warehouse

STORED = "the warehouse's labels"


def known_labels(asked: Asked, schema: SchemaVersion, warehouse: Warehouse) -> Labels:
    """The labels to measure against; texts that stand in a label file are written out as documents.

    Raises LabelError for a file that cannot be used, UsageError where the warehouse has no labels.
    """
    if asked.labels is None:
        return _stored(schema, warehouse)
    labels = read_labels(
        asked.labels,
        schema.cls,
        rename=asked.rename,
        without=asked.without,
        locale=asked.locale,
        cluster=asked.cluster,
        where=asked.where,
    )
    labels = _unpurged(replace(labels, rows=tuple(map(_identified, labels.rows))), warehouse)
    write_texts(labels, texts(warehouse.home))
    return labels


def _unpurged(labels: Labels, warehouse: Warehouse) -> Labels:
    """The same without labels of documents that were purged: nothing of them is written again."""
    gone = warehouse.tombstones().documents
    left = [label for label in labels.rows if label.document_id in gone]
    problems = [Problem(label.line, label.reference, "its document was purged") for label in left]
    kept = tuple(label for label in labels.rows if label.document_id not in gone)
    return replace(labels, rows=kept, problems=(*labels.problems, *problems))


def _identified(label: Label) -> Label:
    """A text that stands in a label is a document of its own, known by its SHA-256 wherever it lies."""
    if label.text is None:
        return label
    return replace(label, document_id=hashlib.sha256(label.text.encode()).hexdigest())


def _stored(schema: SchemaVersion, warehouse: Warehouse) -> Labels:
    documents: dict[str, dict[str, Any]] = {}
    for document_id, pointer, value in warehouse.labels(schema.ref):
        _put(documents.setdefault(document_id, {}), pointer, json.loads(value))
    documents = {one: scored for one, fields in documents.items() if (scored := _scored(fields))}
    if not documents:
        raise UsageError(f"the warehouse has no labels for {schema.ref} that can be used: name a file")
    rows = [json.dumps({"document_id": one, "fields": fields}) for one, fields in documents.items()]
    with TemporaryDirectory() as folder:
        file = Path(folder, "labels.jsonl")
        file.write_text("\n".join(rows), encoding="utf-8")
        return read_labels(file, schema.cls)


def _put(fields: dict[str, Any], pointer: str, value: Any) -> None:
    """Put a value where its pointer says. One below a list that no label gives as a whole says nothing.

    `{}` says that there is an object, and of its members nothing: what is known of them stays.
    """
    steps = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    if not _is_known(fields, steps):
        return
    place: Any = fields
    for step in steps[:-1]:
        place = place[int(step)] if isinstance(place, list) else _object(place, step)
    if isinstance(place, list):
        place[int(steps[-1])] = value
    elif value == {}:
        _object(place, steps[-1])
    else:
        place[steps[-1]] = value


def _object(place: dict[str, Any], name: str) -> Any:
    """What has that name, an object where nothing was known, or an older label said that there is none."""
    if place.get(name) is None:
        place[name] = {}
    return place[name]


def _scored(fields: dict[str, Any]) -> dict[str, Any]:
    """The same without objects of which no label says anything."""
    inside = {name: _scored(one) if isinstance(one, dict) else one for name, one in fields.items()}
    return {name: one for name, one in inside.items() if one != {}}


def _is_known(fields: dict[str, Any], steps: Sequence[str]) -> bool:
    """Whether every row that is pointed into is in a list that is there, and nothing is in the way."""
    place: Any = fields
    for step in steps:
        if isinstance(place, list):
            if not (step.isdecimal() and int(step) < len(place)):
                return False
            place = place[int(step)]
        elif step.isdecimal() or not isinstance(place, dict):
            return False
        else:
            place = {} if place.get(step) is None else place[step]
    return True


def label_rows(asked: Asked, schema: str, inputs: Inputs) -> Iterator[LabelRow]:
    """The labels of a file as rows of the warehouse's table, as they are printed, a row for each field."""
    if asked.labels is None:
        return
    source, person, moment = str(Path(asked.labels).expanduser().resolve()), who(), now()
    for item in inputs.items:
        printed = adapted(json.loads(item.label.printed), asked.rename, asked.without)
        for name in item.label.fields:
            value = json.dumps(printed.get(name), ensure_ascii=False)
            pointer = "/" + name.replace("~", "~0").replace("/", "~1")
            yield LabelRow(new_run_id(), item.document_id, schema, pointer, value, person, source, moment)


def fingerprint(inputs: Inputs) -> str:
    """SHA-256 over the labels that were used, each with its document."""
    used: Mapping[str, str] = {item.document_id: item.label.printed for item in inputs.items}
    return hashlib.sha256(json.dumps(used, sort_keys=True).encode()).hexdigest()

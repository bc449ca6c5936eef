"""Reads a label file against a schema. Every row ends as a label or as a counted problem."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.labels import files
from flows.labels.names import adapted, nested, paths, refusal, refuse_slips
from flows.labels.records import Label, Labels, Problem
from schemas.contract import ExtractionSchema
from schemas.errors import LabelError
from validators.comparison.labels import LabelReader, conventions, unknown_fields
from validators.comparison.readings import AnyOf

REFERENCES = ("file", "document", "uri", "path")
CLUSTER = "cluster"
OWN_KEYS = {*REFERENCES, "id", "document_id", "text", "fields", CLUSTER, "keys_asked"}
"""A row's keys that are no fields, where the fields do not stand under `fields`."""


@dataclass(frozen=True, slots=True)
class _Raw:
    """A row before its values are read."""

    line: int
    reference: str
    row: Mapping[str, Any]
    printed: Mapping[str, Any]
    fields: Mapping[str, Any]


def read_labels(
    path: str | Path,
    schema: type[ExtractionSchema],
    *,
    rename: Mapping[str, str] | None = None,
    without: Collection[str] = (),
    locale: str | None = None,
    cluster: str = CLUSTER,
    where: Mapping[str, str] | None = None,
) -> Labels:
    """The labels in a JSON Lines, CSV or Parquet file, or in the folder that holds one.

    A row names its document by `file`, `document`, `uri`, `path`, `document_id` or `id`, or holds its `text`.
    Its fields stand under `fields`, or beside those keys, dotted within an object (`seller.name`). A field
    that a row lacks is not scored, unless `keys_asked` lists it; null and an empty text say that there is
    nothing. `locale` (`de_DE`) decides ambiguous dates and numbers, `cluster` names the key of the cluster.
    A row whose own keys are not as `where` says ({"core_ok": "true"}) is left out and counted. A name of
    `rename` or `without` must be one of a row, if only of one left out, or of the schema.

    Raises LabelError where the file cannot be read, has no usable row, or fields that the schema lacks; where
    a name is nobody's, a field is renamed to none of the schema, or no row has the key `cluster`.
    """
    file = files.find(Path(path).expanduser())
    problems: list[Problem] = []
    own = {*(where or {}), *({cluster} - schema.model_fields.keys())}
    refuse_slips(schema, rename or {}, without, _names(file, own) if rename or without else (), str(file))
    raw = list(_rows(file, schema, rename or {}, without, where or {}, own, problems))
    if raw and cluster != CLUSTER and not any(cluster in one.row for one in raw):
        raise LabelError(f"{file}: no row has the key {cluster!r} of --cluster.")
    found = conventions(schema, (one.fields for one in raw), locale)
    labels = list(_labels(raw, LabelReader(schema, found), cluster, problems))
    kept = _without_duplicates(labels, problems)
    if not kept:
        first = f" The first: line {problems[0].line}, {problems[0].reason}." if problems else ""
        raise LabelError(f"{file} holds no label that can be used.{first}")
    ambiguous = sum(_ambiguous(label.fields) for label in kept)
    base = str(file.parent.resolve())
    ordered = sorted(problems, key=lambda problem: problem.line)
    return Labels(str(file), base, tuple(kept), tuple(ordered), found, ambiguous)


def _rows(
    file: Path,
    schema: type[ExtractionSchema],
    rename: Mapping[str, str],
    without: Collection[str],
    where: Mapping[str, str],
    own: Collection[str],
    problems: list[Problem],
) -> Iterator[_Raw]:
    unknown: Counter[str] = Counter()
    for line, row in files.rows(file):
        reason = row if isinstance(row, str) else _misfit(row) or _unwanted(row, where)
        if reason or isinstance(row, str):
            problems.append(Problem(line, "" if isinstance(row, str) else _reference(row), str(reason)))
            continue
        printed = _fields(row, own)
        fields = adapted(printed, rename, without)
        unknown.update(unknown_fields(schema, fields))
        yield _Raw(line, _reference(row), row, printed, fields)
    if unknown:
        raise refusal(schema, unknown, str(file))


def _names(file: Path, own: Collection[str]) -> set[str]:
    """All names that fields have in the file, also in rows that are left out later."""
    rows = (row for _, row in files.rows(file) if not isinstance(row, str) and not _misfit(row))
    return {name for row in rows for name in paths(_fields(row, own))}


def _misfit(row: Mapping[str, Any]) -> str | None:
    if not _reference(row):
        return "names no document: one of file, document, uri, path, document_id, id is needed"
    if not isinstance(row.get("fields", {}), Mapping):
        return "fields is not an object"
    if any("\ud800" <= char <= "\udfff" for char in _json(row)):
        return "a value is not valid Unicode"
    return None


def _unwanted(row: Mapping[str, Any], where: Mapping[str, str]) -> str | None:
    for key, wanted in where.items():
        given = row.get(key)
        if wanted.lower() != (given if isinstance(given, str) else _json(given)).lower():
            return f"{key} is {_json(given)}, not {wanted}"
    return None


def _reference(row: Mapping[str, Any]) -> str:
    for key in (*REFERENCES, "document_id", "id"):
        if row.get(key) not in (None, ""):
            return str(row[key])
    return ""


def _fields(row: Mapping[str, Any], own: Collection[str]) -> Mapping[str, Any]:
    if isinstance(given := row.get("fields"), Mapping):
        asked = row.get("keys_asked")
        missing = [key for key in asked if key not in given] if isinstance(asked, list) else []
        return {**given, **dict.fromkeys(map(str, missing))}
    cells = {key: value for key, value in row.items() if key not in OWN_KEYS and key not in own}
    return nested({key.removeprefix("fields."): value for key, value in cells.items()})


def _labels(raw: list[_Raw], reader: LabelReader, cluster: str, problems: list[Problem]) -> Iterator[Label]:
    for one in raw:
        fields, unusable = reader.read(one.fields)
        problems += [Problem(one.line, one.reference, f"{bad.pointer}: {bad.reason}") for bad in unusable]
        if not fields:
            problems.append(Problem(one.line, one.reference, "no field of it can be used"))
            continue
        given = one.row.get(cluster)
        inline = isinstance(one.row.get("text"), str) and not any(one.row.get(key) for key in REFERENCES)
        identity = one.row.get("document_id")
        yield Label(
            reference=one.reference,
            line=one.line,
            fields=fields,
            printed=_json(one.printed),
            cluster=one.reference if given in (None, "") else str(given),
            document_id=str(identity) if identity else None,
            text=one.row["text"] if inline else None,
        )


def _without_duplicates(labels: list[Label], problems: list[Problem]) -> list[Label]:
    """One label a document. Those that contradict each other are all left out: nothing says which is true."""
    groups: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        groups[label.document_id or label.reference].append(label)
    kept = []
    for first, *others in groups.values():
        if all(other.fields == first.fields for other in others):
            kept.append(first)
            reasons = [(other, f"the same as line {first.line}") for other in others]
        else:
            reasons = [(one, "another row says otherwise of this document") for one in (first, *others)]
        problems += [Problem(one.line, one.reference, reason) for one, reason in reasons]
    return kept


def _ambiguous(value: Any) -> int:
    if isinstance(value, Mapping | list):
        return sum(map(_ambiguous, value.values() if isinstance(value, Mapping) else value))
    return isinstance(value, AnyOf)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)

"""The inputs of an evaluation: documents that have labels. What has only one of the two is listed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path, PurePosixPath

from extractors.roots import ANYWHERE, Roots
from extractors.storage import list_blobs, read_all
from extractors.stores import is_remote
from flows.bundle import stand_in_id
from flows.evaluation.asked import Asked
from flows.labels import Label, Labels, Matched, Problem, match
from flows.readable import texts
from schemas.errors import ReadError, UsageError
from schemas.records import Blob
from warehouse.store import Warehouse

_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Input:
    """One document that is measured. `blob` is None where only finished runs are scored."""

    document_id: str
    uri: str
    label: Label
    blob: Blob | None = None


@dataclass(frozen=True, slots=True)
class Inputs:
    """All inputs, in the order of their labels, and what could not be one: nothing is dropped in silence.

    `unlabelled` are documents, `undocumented` labels, without a partner; `partial` are documents that only
    some of the runs have an outcome for. `labelled` counts the documents with labels; a limit takes some.
    """

    items: tuple[Input, ...]
    unlabelled: tuple[str, ...] = ()
    undocumented: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    labelled: int = 0

    @property
    def clusters(self) -> list[str]:
        """The cluster of each input: documents of one cluster are resampled together."""
        return [item.label.cluster for item in self.items]


def from_storage(
    labels: Labels, asked: Asked, warehouse: Warehouse, limit_bytes: int, roots: Roots = ANYWHERE
) -> Inputs:
    """The labelled documents, found in the folders that the labels point into, and identified by content.

    One that is named by its SHA-256 is taken from the archive; one that was purged is none any more. Raises
    UsageError where none is found.
    """
    stored = _listed(labels, roots) if asked.documents is None else list_blobs(asked.documents, roots)
    blobs = [*stored, *_kept(labels, warehouse)]
    gone = warehouse.tombstones().documents
    listed = [(blob, one) for blob, one in _identified(blobs, limit_bytes, roots) if one not in gone]
    found = {document_id: blob for blob, document_id in reversed(listed)}
    return _matched(labels, asked, [(document_id, blob.uri) for blob, document_id in listed], found)


def from_runs(labels: Labels, asked: Asked, documents: Sequence[tuple[str, str]]) -> Inputs:
    """The labelled ones of documents (document_id, URI) that runs have an outcome for."""
    return _matched(labels, asked, documents, {})


def answered(inputs: Inputs, documents: Sequence[tuple[str, str]]) -> Inputs:
    """The inputs that every run has an outcome for, of `documents` (document_id, URI); others are `partial`.

    A run may miss one that changed or went away meanwhile, or that came after its deadline. Raises UsageError
    where none is left.
    """
    whole = {document_id for document_id, _ in documents}
    items = tuple(item for item in inputs.items if item.document_id in whole)
    if not items:
        raise UsageError("no document has an outcome in every run: see `assay runs`")
    partial = tuple(item.uri for item in inputs.items if item.document_id not in whole)
    return replace(inputs, items=items, partial=partial)


def _matched(
    labels: Labels, asked: Asked, documents: Sequence[tuple[str, str]], blobs: Mapping[str, Blob]
) -> Inputs:
    uris = dict(reversed(documents))
    matched = match(labels, documents)
    order = {id(label): place for place, label in enumerate(labels.rows)}
    items = [
        Input(document_id, uris[document_id], label, blobs.get(document_id))
        for document_id, label in sorted(matched.pairs.items(), key=lambda pair: order[id(pair[1])])
    ]
    if not items:
        raise UsageError(_nothing(labels, len(documents)))
    return Inputs(
        items=tuple(_some(items, asked)),
        unlabelled=tuple(matched.without_label),
        undocumented=tuple(label.reference for label in matched.without_document),
        problems=(*labels.problems, *matched.problems, *_repeated(labels, matched)),
        labelled=len(items),
    )


def _repeated(labels: Labels, matched: Matched) -> Iterator[Problem]:
    """Labels of copies: the same bytes under another name are one document, and measured once."""
    used = {id(label) for label in (*matched.pairs.values(), *matched.without_document)}
    told = {problem.line for problem in matched.problems}
    for label in labels.rows:
        if id(label) not in used and label.line not in told:
            yield Problem(
                label.line, label.reference, "another label is of the same document, and says the same"
            )


def _nothing(labels: Labels, documents: int) -> str:
    example = labels.rows[0].reference if labels.rows else "none"
    return (
        f"{labels.path}: none of its {len(labels.rows)} labels fits one of {documents} documents; "
        f"the first points to {example!r}, below {labels.base}"
    )


def _some(items: list[Input], asked: Asked) -> list[Input]:
    """`limit` of the inputs, drawn by the seed: the first ones of a sorted file would be no fair sample."""
    if asked.limit is None or asked.limit >= len(items):
        return items
    chosen = sorted(random.Random(asked.seed).sample(range(len(items)), asked.limit))
    return [items[place] for place in chosen]


def _listed(labels: Labels, roots: Roots) -> Iterator[Blob]:
    """What lies in the folders that labels point into, the labels' own file left out."""
    folders = {folder for folder in _folders(labels) if roots.allow(folder)}
    for top in _topmost(folders):
        try:
            listing = list(list_blobs(top, roots))
        except UsageError:  # an empty or missing folder: its labels are without documents, and listed so
            continue
        yield from (
            blob
            for blob in listing
            if _folder(blob.uri) in folders and not blob.uri.endswith(Path(labels.path).name)
        )


def _kept(labels: Labels, warehouse: Warehouse) -> Iterator[Blob]:
    """Documents that labels name by their SHA-256, or hold as a text: both are kept in the home."""
    for label in labels.rows:
        named = label.document_id or label.reference
        if _is_sha(named):
            text = texts(warehouse.home) / f"{named}.txt"
            path = warehouse.archive.path(named) if label.text is None else text
            if path.is_file():
                yield Blob(str(path.resolve()), path.stat().st_size)


def _folders(labels: Labels) -> set[str]:
    pointing = [label for label in labels.rows if label.text is None]
    references = [label.reference for label in pointing if not _is_sha(label.reference)]
    return {_folder(_absolute(reference, labels.base)) for reference in references}


def _absolute(reference: str, base: str) -> str:
    if is_remote(reference) or reference.startswith(("/", "file://")):
        return reference
    if is_remote(base):
        return f"{base.rstrip('/')}/{reference}"
    return str(Path(base).resolve() / reference)


def _folder(uri: str) -> str:
    """The folder of a path or URL; local ones without `..` and links."""
    head = uri.rpartition("/")[0]
    return head if is_remote(uri) else str(Path(head or "/").resolve())


def _topmost(folders: Iterable[str]) -> list[str]:
    """The folders that lie in no other of them: a listing goes into all below it."""
    kept: list[str] = []
    for folder in sorted(folders):
        if not any(PurePosixPath(folder).is_relative_to(top) for top in kept):
            kept.append(folder)
    return kept


def _is_sha(reference: str) -> bool:
    return len(reference) == 64 and set(reference) <= _HEX


def _identified(blobs: list[Blob], limit_bytes: int, roots: Roots) -> Iterator[tuple[Blob, str]]:
    """Each blob with the document_id that the pipeline will give it."""
    for blob, data in read_all(blobs, limit_bytes, roots=roots):
        yield blob, stand_in_id(blob) if isinstance(data, ReadError) else sha256(data).hexdigest()

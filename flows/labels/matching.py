"""Which label speaks of which document."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from flows.labels.records import Label, Labels, Problem


@dataclass(frozen=True, slots=True)
class Matched:
    """Each document's label, and what has no partner. `pairs` is by the document's identity."""

    pairs: dict[str, Label]
    without_document: tuple[Label, ...]
    without_label: tuple[str, ...]
    problems: tuple[Problem, ...] = ()


def match(labels: Labels, documents: Iterable[tuple[str, str]]) -> Matched:
    """Pair labels with documents, given as (identity, URI). Nothing is dropped: see `Matched`.

    A label finds its document by identity, by its full path, else by the end of the path where one document
    alone has it, else by the file's name without its suffix. Two labels of one document (a copy under
    another name) must say the same; where they do not, neither is used.
    """
    known = _Documents(list(documents))
    found: dict[str, list[Label]] = defaultdict(list)
    missing: list[Label] = []
    for label in labels.rows:
        identity = known.find(label, labels.base)
        if identity is None:
            missing.append(label)
        else:
            found[identity].append(label)
    pairs = {identity: them[0] for identity, them in found.items() if _agree(them)}
    problems = [
        Problem(label.line, label.reference, f"contradicts line {them[0].line}: both are of {identity[:12]}")
        for identity, them in found.items()
        if not _agree(them)
        for label in them
    ]
    unlabelled = tuple(uri for identity, uri in known.all if identity not in found)
    return Matched(pairs, tuple(missing), unlabelled, tuple(problems))


def _agree(labels: list[Label]) -> bool:
    return all(label.fields == labels[0].fields for label in labels)


class _Documents:
    """Documents by identity, by path, and by every end of their path."""

    def __init__(self, documents: list[tuple[str, str]]) -> None:
        self.all = documents
        self._identities = {identity for identity, _ in documents}
        self._ends: dict[str, set[str]] = defaultdict(set)
        self._stems: dict[str, set[str]] = defaultdict(set)
        for identity, uri in documents:
            path = _path(uri)
            self._stems[PurePosixPath(path).stem].add(identity)
            for end in _ends(path):
                self._ends[end].add(identity)

    def find(self, label: Label, base: str) -> str | None:
        """The identity of a label's document; None where there is none, or more than one."""
        if label.document_id or label.reference in self._identities:
            identity = label.document_id or label.reference
            return identity if identity in self._identities else None
        path = _path(label.reference)
        full = os.path.normpath(Path(base, path))
        for found in (self._ends.get(full), self._ends.get(path), self._stems.get(label.reference)):
            if found:
                return next(iter(found)) if len(found) == 1 else None
        return None


def _path(uri: str) -> str:
    """A URI as a path: `file:///a%20b` is `/a b`, `s3://bucket/a` is `/bucket/a`."""
    if "://" not in uri:
        return uri
    parts = urlsplit(uri)
    if parts.scheme == "file":
        return unquote(parts.path)
    return f"/{uri.partition('://')[2]}"


def _ends(path: str) -> Iterator[str]:
    yield path
    parts = path.strip("/").split("/")
    yield from ("/".join(parts[start:]) for start in range(len(parts)))


def write_texts(labels: Labels, folder: Path) -> Labels:
    """The same labels with every text that stands in a row written to a file of its own below `folder`.

    Files are called by their text's SHA-256, so that no name comes from the labels; a text that two rows
    share is one document.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return replace(labels, rows=tuple(_written(label, folder) for label in labels.rows))


def _written(label: Label, folder: Path) -> Label:
    if label.text is None:
        return label
    data = label.text.encode()
    file = folder.resolve() / f"{hashlib.sha256(data).hexdigest()}.txt"
    if not file.exists():
        file.write_bytes(data)
    return replace(label, reference=str(file), text=None)

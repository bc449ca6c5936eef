"""What stands of a document outside the database: its bytes, put-aside shards, texts of labels, leftovers."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Collection
from pathlib import Path
from urllib.parse import quote

import markupsafe
import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.archive import Archive
from warehouse.files import writing
from warehouse.purge import Doom


def erase(home: Path, document_ids: Collection[str]) -> None:
    """Remove all files under `home` that hold one of these documents, but for the database and its backups.

    Raises WarehouseError where one cannot be removed.
    """
    doomed = set(document_ids)
    with writing(home):
        archive = Archive(home / "archive")
        for document_id in doomed:
            archive.remove(document_id)
        for shard in (home / "staging").glob(".damaged-*"):
            if _may_hold(shard, doomed):
                shutil.rmtree(shard)
        for text in (home / "texts").rglob("*"):  # documents that an evaluation wrote from a file of labels
            if text.is_file() and hashlib.sha256(text.read_bytes()).hexdigest() in doomed:
                text.unlink()


def _may_hold(shard: Path, doomed: set[str]) -> bool:
    """Whether a damaged shard holds one of these documents. One that cannot be read for it may."""
    try:
        for table in ("documents", "extractions"):
            with pq.ParquetFile(shard / f"{table}.parquet") as file:
                if doomed & set(file.read(columns=["document_id"])["document_id"].to_pylist()):
                    return True
    except (OSError, pa.ArrowException, KeyError):
        return True
    return False


def backups(database: Path) -> list[Path]:
    """The copies that upgrades left beside the database."""
    return sorted(database.parent.glob(f"{database.name}.before-*"))


def reports(home: Path, doom: Doom) -> list[Path]:
    """The pages that name one of the documents, and may show its values."""
    names = {name for name in doom.names if len(name) > 3 or "." in name}  # a short stem is in every page
    words = {*names, *(one[:12] for one in doom.ids)}
    written = {text.encode() for word in words for text in (word, str(markupsafe.escape(word)), quote(word))}
    pages = sorted(path for path in (home / "reports").rglob("*") if path.is_file())
    return [path for path in pages if any(word in path.read_bytes() for word in written)]

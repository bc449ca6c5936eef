"""Staging past one machine: shards as objects in a store, or files in a folder, on their way to landing.

`RUN/SHARD.tar` holds a shard's tables and the original bytes of its documents. A store shows an object whole
or not at all. Whoever lands takes it into the home's own staging first, so that landing is the same for all.
"""

from __future__ import annotations

import logging
import shutil
import tarfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, from_url

from schemas.errors import WarehouseError
from warehouse.archive import Archive
from warehouse.files import flush, writing
from warehouse.shards import beside, is_name, settle
from warehouse.tables import TABLES

_log = logging.getLogger(__name__)
_SUFFIX = ".tar"
_ORIGINALS = "originals/"
_DAMAGED = "damaged/"
_MARK = ".seen"
_TABLES = frozenset(f"{name}.parquet" for name in TABLES)


class Depot:
    """An address that workers send shards to and the lander collects from: s3://, gs://, az://, a folder.

    Every method raises WarehouseError where it cannot be used.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        try:
            self._store = _store(address)
        except (BaseError, OSError, ValueError) as error:
            raise self._unusable(error) from error

    def send(self, run_id: str, shard: Path, archive: Archive) -> None:
        """Send a staged shard's folder with all that stands in `archive`. One that was sent is replaced."""
        packed = shard.with_name(f".{shard.name}{_SUFFIX}")
        with writing(packed.parent), tarfile.open(packed, "w") as tar:
            for table in sorted(shard.iterdir()):
                tar.add(table, table.name)
            for original in sorted(archive.folder.glob("*/*")):
                tar.add(original, _ORIGINALS + original.name)
        with self._translated():
            obstore.put(self._store, f"{run_id}/{shard.name}{_SUFFIX}", packed)

    def collect(self, runs: Collection[str], staging: Path, archive: Archive) -> int:
        """Bring the shards of these runs into `staging`, and their bytes into `archive`; how many."""
        with self._translated():
            keys = [key for run_id in sorted(runs) for key in self._waiting(run_id)]
            return sum(self._take(key, staging, archive) for key in keys)

    def runs(self) -> frozenset[str]:
        """The runs that have left something here."""
        with self._translated():
            found = obstore.list_with_delimiter(self._store)["common_prefixes"]
        return frozenset(prefix.rstrip("/") for prefix in found)

    def mark(self, run_id: str) -> None:
        """Leave a sign of a run that is under way."""
        with self._translated():
            obstore.put(self._store, f"{run_id}/{_MARK}", b"")

    def is_marked(self, run_id: str) -> bool:
        """Whether that sign is seen here."""
        with self._translated(), suppress(FileNotFoundError):
            obstore.head(self._store, f"{run_id}/{_MARK}")
            return True
        return False

    def unmark(self, run_id: str) -> None:
        """Take the sign away, where there is one."""
        with self._translated(), suppress(FileNotFoundError):
            obstore.delete(self._store, f"{run_id}/{_MARK}")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """The store's errors as ours."""
        try:
            yield
        except (BaseError, OSError) as error:
            raise self._unusable(error) from error

    def _waiting(self, run_id: str) -> list[str]:
        """The keys of one run's shards, in order."""
        pages = obstore.list(self._store, f"{run_id}/")
        return sorted(meta["path"] for page in pages for meta in page if meta["path"].endswith(_SUFFIX))

    def _take(self, key: str, staging: Path, archive: Archive) -> bool:
        """Bring one shard over, then remove it here: a kill between the two brings it again, and no harm.

        False where it was no shard, or another lander (`assay land` beside a run) was first.
        """
        place = staging / key.rpartition("/")[2].removesuffix(_SUFFIX)
        with beside(place) as aside:
            try:
                self._fetch(key, aside / _SUFFIX)
            except FileNotFoundError:
                return False
            whole = is_name(place.name) and _unpack(aside / _SUFFIX, aside, archive)
            if not whole:
                _log.error("%s/%s is no shard; it now stands below %s", self.address, key, _DAMAGED)
                obstore.rename(self._store, key, _DAMAGED + key)
                return False
            settle(aside, place)
        with suppress(FileNotFoundError):
            obstore.delete(self._store, key)
        return True

    def _fetch(self, key: str, target: Path) -> None:
        with target.open("wb") as file:
            for chunk in obstore.get(self._store, key).stream():
                file.write(bytes(chunk))

    def _unusable(self, error: Exception) -> WarehouseError:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:300]
        return WarehouseError(f"ASSAY_STAGING {self.address} cannot be used ({reason}); check it.")


def _store(address: str) -> ObjectStore:
    if "://" not in address:
        return LocalStore(Path(address).expanduser().absolute(), automatic_cleanup=True, mkdir=True)
    # Plain HTTP only where the endpoint that the user has set is plain HTTP.
    return from_url(address, client_options={"allow_http": True})


def _unpack(packed: Path, folder: Path, archive: Archive) -> bool:
    """The tables into `folder`, the originals into `archive`; False where something else or less is in it."""
    missing = set(_TABLES)
    try:
        with tarfile.open(packed, "r:") as tar:
            for member in tar:
                file = tar.extractfile(member)
                if file is None:
                    return False
                if member.name in missing:
                    with (folder / member.name).open("wb") as target:
                        shutil.copyfileobj(file, target)
                    flush(folder / member.name)
                    missing.discard(member.name)
                elif f"{_ORIGINALS}{archive.put(file.read())}" != member.name:
                    return False
    except tarfile.TarError:
        return False
    packed.unlink()
    return not missing

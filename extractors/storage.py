"""Finds documents and reads their bytes: files, folders and globs here, object stores in `stores`."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from extractors import stores
from extractors.patterns import has_wildcard, is_skipped, matcher, split_pattern
from extractors.roots import ANYWHERE, Roots
from schemas.addresses import without_credentials
from schemas.errors import ReadError, UsageError
from schemas.records import Blob, Category

_FILE_SCHEME = "file://"


def list_blobs(source: str, roots: Roots = ANYWHERE) -> Iterator[Blob]:
    """The blobs under `source`, sorted by path: a file, a folder with all below it, a glob, or a URL.

    Hidden, partial and lock files are left out, and so is what symbolic links reach outside the folder.
    Raises UsageError where the source does not exist, cannot be listed, is outside `roots`, or holds nothing.
    """
    roots.check(_checked(source))
    listed = stores.list_objects(source) if stores.is_remote(source) else _list_local(source)
    found = (blob for blob in listed if roots.allow(blob.uri))
    first = next(found, None)
    if first is None:
        raise UsageError(
            f"Nothing to read at {source}: no file there, or hidden, partial and empty lock files only."
        )
    return chain([first], found)


def read_blob(blob: Blob, limit: int, roots: Roots = ANYWHERE) -> bytes:
    """The bytes of `blob`. Raises ReadError `too_large` above `limit` bytes, else `unreadable`.

    An `unreadable` from here is about the storage and not the document: its `retryable` is True.
    """
    if blob.size > limit:
        raise too_large(blob, limit)
    if stores.is_remote(blob.uri):
        if not roots.allow(blob.uri):
            raise _outside(blob)
        data = stores.read_object(blob, limit)
    else:
        data = _read_file(blob, limit, roots)
    if len(data) > limit:
        raise too_large(blob, limit)
    return data


def read_all(
    blobs: Iterable[Blob], limit: int, concurrency: int = 16, roots: Roots = ANYWHERE
) -> Iterator[tuple[Blob, bytes | ReadError]]:
    """Each blob with its bytes, or why there are none, in order; `concurrency` reads at once."""
    waiting: deque[tuple[Blob, Future[bytes | ReadError]]] = deque()
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="storage")
    try:
        for blob in blobs:
            waiting.append((blob, pool.submit(_try, blob, limit, roots)))
            if len(waiting) >= concurrency:
                done, future = waiting.popleft()
                yield done, future.result()
        while waiting:
            done, future = waiting.popleft()
            yield done, future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def too_large(blob: Blob, limit: int) -> ReadError:
    """The error for a blob above the limit (bytes)."""
    return ReadError(
        Category.TOO_LARGE,
        f"{blob.uri} has {blob.size / 1e6:,.1f} MB, more than the limit of {limit / 1e6:,.1f} MB; split it.",
    )


def _try(blob: Blob, limit: int, roots: Roots) -> bytes | ReadError:
    try:
        return read_blob(blob, limit, roots)
    except ReadError as error:
        return error


def _checked(source: str) -> str:
    """Raises UsageError for an address with credentials in it, which would be kept with the run."""
    try:
        return without_credentials(source)
    except ValueError as error:
        raise UsageError(f"The source: {error}.") from None


def _outside(blob: Blob) -> ReadError:
    return ReadError(
        Category.UNREADABLE, f"{blob.uri} leads outside the roots that may be read; see ASSAY_ROOTS."
    )


def _list_local(source: str) -> Iterator[Blob]:
    if "://" in source and not source.startswith(_FILE_SCHEME):
        scheme = source.partition("://")[0]
        raise UsageError(
            f"Cannot read from {scheme}://; give a file, a folder, a glob, s3://, gs:// or az://."
        )
    if not source.strip():
        raise UsageError("The source is empty; give a file, a folder, a glob, s3://, gs:// or az://.")
    try:
        path = _path(source).expanduser()
        if path.is_dir():
            return _walk(path.resolve())
        if path.exists():
            return iter([_single(path)])
    except (OSError, RuntimeError, ValueError) as error:  # a name too long, a circle of links, no such user
        raise UsageError(f"{source[:200]} cannot be looked up ({error}); check the path.") from error
    if has_wildcard(source):
        root, pattern = split_pattern(str(path.absolute()))
        if Path(root).is_dir():
            matches = matcher(pattern)
            base = Path(root).resolve()
            return (blob for blob in _walk(base) if matches(_path(blob.uri).relative_to(base).as_posix()))
    raise UsageError(f"{source} does not exist (seen from {Path.cwd()}).")


def _single(path: Path) -> Blob:
    """The blob of a file that was named. Raises UsageError for a pipe or device, which would never end."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(f"{path} is no regular file; save its contents in one.")
    return _blob(path.absolute(), status)


def _walk(root: Path) -> Iterator[Blob]:
    """Files below `root`, sorted within each folder. Linked folders are not entered."""
    for folder, names, files in os.walk(root, onerror=_raise_unlistable):
        names[:] = sorted(name for name in names if not is_skipped(name))
        for name in sorted(files):
            path = Path(folder, name)
            if is_skipped(name) or (path.is_symlink() and not _stays_inside(path, root)):
                continue
            try:
                status = path.stat()
            except FileNotFoundError:  # gone since the listing
                continue
            if stat.S_ISREG(status.st_mode) and not is_skipped(name, status.st_size):
                yield _blob(path, status)


def _raise_unlistable(error: OSError) -> None:
    raise UsageError(
        f"The folder {error.filename} cannot be listed ({error.strerror}); allow it or move it away."
    )


def _stays_inside(path: Path, root: Path) -> bool:
    try:
        return path.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):  # a dangling link, or a circle of links
        return False


def _blob(path: Path, status: os.stat_result) -> Blob:
    """A file's blob. Its URI is its path; a file: URI where the path's bytes are no UTF-8, and so no text."""
    text = str(path)
    printable = not any("\ud800" <= character <= "\udfff" for character in text)
    modified = datetime.fromtimestamp(status.st_mtime, UTC)
    return Blob(text if printable else path.as_uri(), status.st_size, modified)


def _path(uri: str) -> Path:
    if uri.startswith(_FILE_SCHEME):
        return Path(os.fsdecode(unquote_to_bytes(urlsplit(uri).path)))
    return Path(uri)


def _read_file(blob: Blob, limit: int, roots: Roots) -> bytes:
    path = _path(blob.uri)
    try:
        with path.open("rb") as file:
            if not roots.hold(path, file):  # a link was put there since the listing
                raise _outside(blob)
            return file.read(limit + 1)
    except OSError as error:
        raise stores.unreachable(blob, error.strerror or str(error)) from error

"""Object stores: s3://, gs:// and az:// through obstore.

Endpoint, region and credentials come from each vendor's standard environment (AWS_ENDPOINT_URL,
AWS_REGION, AWS_ACCESS_KEY_ID; GOOGLE_APPLICATION_CREDENTIALS; AZURE_STORAGE_ACCOUNT_NAME ...), which
obstore reads itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import obstore
from obstore.exceptions import BaseError
from obstore.store import ObjectStore, from_url

from extractors.patterns import has_wildcard, is_skipped_path, matcher, split_pattern
from schemas.addresses import redacted
from schemas.errors import ReadError, UsageError
from schemas.records import Blob, Category

_SCHEMES = ("s3://", "gs://", "az://")
_PAGE = 1000
_ODD_KEY = re.compile(r'invalid path: .*?"([^"]*)"')
"""How obstore names a key that it cannot address."""
_VARIABLES = {
    "s3": "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS",
    "az": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
}


def is_remote(uri: str) -> bool:
    """Whether `uri` names something in an object store."""
    return uri.startswith(_SCHEMES)


def list_objects(source: str) -> Iterator[Blob]:
    """The objects at `source`: one object, all below a prefix, or a glob's. Raises UsageError."""
    root, key = _split(source)
    single = None
    try:
        if has_wildcard(key) and not (single := _head(root, key)):
            prefix, pattern = split_pattern(key)
            matches = matcher(pattern)
            below = prefix + "/" if prefix else ""
            yield from (blob for path, blob in _below(root, prefix) if matches(path.removeprefix(below)))
        elif key and not key.endswith("/") and (single or (single := _head(root, key))):
            yield single
        else:
            yield from (blob for _, blob in _below(root, key.rstrip("/")))
    except (BaseError, OSError) as error:
        if odd := _ODD_KEY.search(str(error)):
            advice = (
                "keys with empty parts, `.` or `..` cannot be addressed: rename it, or give another prefix"
            )
            raise UsageError(f"{source} holds the object {odd[1]!r}; {advice}.") from error
        variables = _VARIABLES[source[:2]]
        message = f"{source} cannot be listed ({_first_line(error)}); check the address and {variables}."
        raise UsageError(message) from error


def read_object(blob: Blob, limit: int) -> bytes:
    """An object's bytes, at most a little more than `limit` of them. Raises ReadError `unreadable`."""
    root, key = _split(blob.uri)
    data = bytearray()
    try:
        for chunk in obstore.get(_store(root), key).stream():
            data += bytes(chunk)
            if len(data) > limit:
                break
    except (BaseError, OSError) as error:
        raise unreachable(blob, _first_line(error)) from error
    return bytes(data)


def unreachable(blob: Blob, reason: str) -> ReadError:
    """The error for a blob whose bytes cannot be had now; another try may help."""
    error = ReadError(
        Category.UNREADABLE, f"{blob.uri} cannot be fetched ({reason}); check the storage and run again."
    )
    error.retryable = True
    return error


def _split(uri: str) -> tuple[str, str]:
    """`s3://bucket/a/b` into `s3://bucket` and `a/b`."""
    scheme, _, rest = uri.partition("://")
    bucket, _, key = rest.partition("/")
    if not bucket:
        raise UsageError(f"{uri} names no bucket; write {scheme}://BUCKET/PREFIX.")
    return f"{scheme}://{bucket}", key


@lru_cache(maxsize=64)
def _store(root: str) -> ObjectStore:
    # Plain HTTP is used only where the endpoint that the user has set is plain HTTP, such as MinIO next door.
    return from_url(root, client_options={"allow_http": True})


def _below(root: str, prefix: str) -> Iterator[tuple[str, Blob]]:
    """Keys and blobs under `prefix`, less what is skipped below it."""
    for page in obstore.list(_store(root), prefix or None, chunk_size=_PAGE):
        for meta in page:
            path, size = meta["path"], meta["size"]
            below = path.removeprefix(prefix).removeprefix("/")
            if is_skipped_path(below, size) or (size == 0 and _head(root, path) is None):
                continue
            yield path, Blob(f"{root}/{path}", size, meta["last_modified"])


def _head(root: str, key: str) -> Blob | None:
    """The object `key`, or None. An empty one listed may be a folder's mark, whose key ends in /."""
    try:
        meta = obstore.head(_store(root), key)
    except FileNotFoundError:
        return None
    return Blob(f"{root}/{key}", meta["size"], meta["last_modified"])


def _first_line(error: Exception) -> str:
    """The store's reason; it may quote the endpoint as it was set, with a user and a password in it."""
    return redacted((str(error).splitlines() or [type(error).__name__])[0][:300])

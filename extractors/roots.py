"""Where may be read: folders and bucket prefixes. What a link, a `..` or a `file:` address reaches counts as
the place where it ends."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import unquote_to_bytes, urlsplit

from extractors.patterns import has_wildcard
from schemas.addresses import parts_of, without_credentials
from schemas.errors import UsageError

_FILE_SCHEME = "file://"


@dataclass(frozen=True, slots=True)
class Roots:
    """`given` folders and prefixes, as `root` writes them; none at all allows everything."""

    given: tuple[str, ...] = ()

    def also(self, *folders: Path) -> Roots:
        """With these folders too, where not everything is allowed as it is."""
        return Roots((*self.given, *(str(one.resolve()) for one in folders))) if self.given else self

    def check(self, source: str) -> None:
        """Raises UsageError for a source that begins outside: it is not even listed."""
        if not self.allow(_fixed(source)):
            told = ", ".join(self.given)
            raise UsageError(f"{source} is outside the roots that may be read (ASSAY_ROOTS: {told}).")

    def allow(self, uri: str) -> bool:
        """Whether a path or address ends inside a root, all links followed."""
        if not self.given:
            return True
        place = _place(uri)
        return place is not None and any(_is_below(place, one) for one in self.given)

    def hold(self, path: Path, file: IO[bytes]) -> bool:
        """Whether an open file is what a path inside the roots names: no link was changed meanwhile."""
        if not self.given:
            return True
        place = _place(str(path))
        try:
            return place is not None and self.allow(place) and _is_same(file, place)
        except OSError:
            return False


ANYWHERE = Roots()


def root(text: str) -> str:
    """A root in one form. Raises ValueError for what is none."""
    text = text.strip()
    place = _place(without_credentials(text)) if text else None
    if place is None or has_wildcard(text):
        raise ValueError("a root is a folder, or a prefix such as s3://bucket/inbox/: no wildcard, no `..`")
    if "://" in text and not text.startswith(_FILE_SCHEME):
        parts_of("/".join(text.split("/")[:3]), "s3", "gs", "az")  # a key may hold what an address may not
    return place


def parse(given: str | Sequence[str]) -> tuple[str, ...]:
    """Roots with commas between, or a list of them. Raises ValueError, for nothing but commas too."""
    parts = given.split(",") if isinstance(given, str) else given
    roots = tuple(dict.fromkeys(root(one) for one in parts if one.strip()))
    if given and not roots:
        raise ValueError("no root is named: name one, or leave ASSAY_ROOTS out to allow everything")
    return roots


def _place(uri: str) -> str | None:
    """Where a path or address ends, without a slash at its end; None where that cannot be said."""
    if uri.startswith(_FILE_SCHEME):
        parts = urlsplit(uri)
        if parts.netloc not in ("", "localhost"):
            return None
        uri = os.fsdecode(unquote_to_bytes(parts.path))
    elif "://" in uri:
        keys = uri.partition("://")[2].split("/")
        return None if {".", ".."} & set(keys) else uri.rstrip("/")
    try:
        return str(Path(uri).expanduser().resolve())
    except (OSError, RuntimeError, ValueError):  # a circle of links, no such user, a NUL in the name
        return None


def _is_below(place: str, root_: str) -> bool:
    return place == root_ or place.startswith(root_.rstrip("/") + "/")


def _is_same(file: IO[bytes], place: str) -> bool:
    return os.path.samestat(os.fstat(file.fileno()), Path(place).stat())


def _fixed(source: str) -> str:
    """What stands before the first wildcard: the folder or prefix in which a glob looks."""
    if not has_wildcard(source) or ("://" not in source and Path(source).expanduser().exists()):
        return source
    parts = source.split("/")
    plain = next(number for number, part in enumerate(parts) if has_wildcard(part))
    return "/".join(parts[:plain]) or ("/" if source.startswith("/") else ".")
